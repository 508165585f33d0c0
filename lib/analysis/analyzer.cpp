#include "analysis/analyzer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/control_flow.hpp"
#include "analysis/symbolic_thread.hpp"
#include "sass/registers.hpp"

namespace picker::analysis {
namespace {

using sass::Field;
using sass::Instruction;
using sass::kInstructionBytes;
using sass::Opcode;
using sass::Operand;
using sass::Role;
using sass::Value;
using semantics::Class;

constexpr u64 kMaxSteps = 3'000'000;        // instructions executed symbolically
constexpr u32 kMaxExpressions = 2'000'000;  // in one run; some 150 bytes each
constexpr u32 kMaxRuns = 24;
constexpr u32 kMaxJoinCondition = 24;  // nodes of a condition kept for a join
constexpr u32 kMaxJoinRegion = 48;     // blocks between a join and its dominator

bool is_uniform_slot(u32 slot) {
  return (slot >= kUniformBase && slot < kPredicateBase) || slot >= kUniformPredicateBase;
}

u8 width_of_slot(u32 slot) { return slot >= kPredicateBase ? 1 : 32; }

class Analyzer {
 public:
  Analyzer(const container::Cubin& cubin, const container::Kernel& kernel)
      : cubin_(cubin), kernel_(kernel) {
    summary_.kernel = kernel.name;
    summary_.sm = kernel.sm;
  }

  Summary run() {
    const auto family = sass::family_of(kernel_.sm);
    if (!family) {
      give_up(Reason::kUndecodedInstruction, 0, "architecture");
      return std::move(summary_);
    }
    report_metadata();
    flow_ = build_control_flow(kernel_, sass::Decoder(*family));
    if (flow_.unusable) {
      give_up(*flow_.unusable, flow_.unusable_offset, flow_.unusable_detail);
      return std::move(summary_);
    }
    if (flow_.loops.size() > kMaxLoops) {
      give_up(Reason::kBudget, 0, "number of loops");
      return std::move(summary_);
    }
    facts_.control.assign(flow_.blocks.size(), false);
    facts_.loop_count.assign(flow_.loops.size(), false);
    facts_.loop_diverges.assign(flow_.loops.size(), false);
    facts_.loop_splits.assign(flow_.loops.size(), false);
    broken_barriers_.fill(false);
    for (const container::ResolvedRelocation& r : kernel_.relocations) relocated_.insert(r.offset);
    for (const Instruction& in : flow_.instructions)
      if (in.opcode == Opcode::kBREAK)
        if (const Operand* barrier = in.find(Role::kBarrier))
          broken_barriers_[barrier->reg & 15] = true;
    const size_t metadata_findings = summary_.findings.size();
    for (u32 runs = 0;; ++runs) {
      facts_.changed = false;
      // Facts name blocks, loops and registers, never expressions: a run starts from none.
      summary_.expressions = Expressions();
      summary_.sites.clear();
      summary_.uncertain_uniforms.clear();
      summary_.findings.resize(metadata_findings);
      summary_.loops.assign(flow_.loops.size(), Loop{});
      for (u32 i = 0; i < flow_.loops.size(); ++i) {
        summary_.loops[i].parent = flow_.loops[i].parent;
        summary_.loops[i].header_offset = flow_.blocks[flow_.loops[i].header].begin;
      }
      out_states_.assign(flow_.blocks.size(), ThreadState());
      end_conditions_.assign(flow_.blocks.size(), kNoExpr);
      conditions_.assign(flow_.blocks.size(), {});
      SymbolicThread thread(cubin_, kernel_, summary_, facts_);
      thread_ = &thread;
      thread.recording = true;
      run_region(kNone);
      if (over_budget_ || runs >= kMaxRuns) {
        summary_.sites.clear();
        summary_.findings.resize(metadata_findings);
        give_up(Reason::kBudget, 0, "analysis steps");
        break;
      }
      if (!facts_.changed) break;
    }
    std::vector<UncertainUniform>& uncertain = summary_.uncertain_uniforms;
    std::sort(uncertain.begin(), uncertain.end());
    uncertain.erase(std::unique(uncertain.begin(), uncertain.end()), uncertain.end());
    return std::move(summary_);
  }

 private:
  Expressions& e() { return summary_.expressions; }

  void give_up(Reason reason, u32 offset, std::string detail) {
    Finding finding;
    finding.reason = reason;
    finding.code_offset = offset;
    finding.detail = std::move(detail);
    summary_.findings.push_back(std::move(finding));
  }

  void report_metadata() {
    for (const u8 attribute : kernel_.unknown_attributes)
      give_up(Reason::kUnknownAttribute, 0, fmt::format("{:#x}", attribute));
    if (kernel_.needs_device_launch) give_up(Reason::kDeviceRuntimeCall, 0, "launches kernels");
    if (kernel_.cluster_launch_control)
      give_up(Reason::kUnmodelledInstruction, 0, "cluster launch control");
  }

  // ---- Regions and loops -------------------------------------------------------------------

  // Executes the blocks whose innermost loop is `loop` (none: outside all loops), inner loops in
  // their place.
  void run_region(u32 loop) {
    if (loop == kNone) {
      for (u32 b = 0; b < flow_.blocks.size(); ++b) visit(b, loop);
    } else {
      for (const u32 b : flow_.loops[loop].blocks) visit(b, loop);
    }
  }

  void visit(u32 b, u32 region) {
    if (over_budget_) return;
    const u32 innermost = flow_.blocks[b].loop;
    if (innermost == region) {
      if (region != kNone && flow_.loops[region].header == b) return;  // done by run_loop
      execute_block(b, join(b));
      return;
    }
    // The header of a loop directly inside the region.
    if (innermost != kNone && flow_.loops[innermost].header == b &&
        flow_.loops[innermost].parent == region)
      run_loop(innermost);
  }

  void enter_context(u32 loop) {
    thread_->loops = 0;
    thread_->loop_stack.clear();
    for (u32 at = loop; at != kNone; at = flow_.loops[at].parent) {
      thread_->loops |= u64{1} << at;
      thread_->loop_stack.push_back(at);
    }
    std::reverse(thread_->loop_stack.begin(), thread_->loop_stack.end());
  }

  u64 outer_loops(u32 loop) const {
    u64 bits = 0;
    for (u32 at = flow_.loops[loop].parent; at != kNone; at = flow_.loops[at].parent)
      bits |= u64{1} << at;
    return bits;
  }

  std::vector<bool> slots_written(u32 loop, bool& stores_local) {
    std::vector<bool> written(kSlotCount, false);
    stores_local = false;
    for (const u32 b : flow_.loops[loop].blocks) {
      const Block& block = flow_.blocks[b];
      for (u32 offset = block.begin; offset < block.end; offset += kInstructionBytes) {
        const Instruction& in = flow_.at(offset);
        switch (in.opcode) {
          case Opcode::kSTL:
          case Opcode::kST:
          case Opcode::kATOM:
            stores_local = true;
            break;
          case Opcode::kR2P:
            for (u32 i = 0; i < 7; ++i) written[kPredicateBase + i] = true;
            break;
          default:
            break;
        }
        sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
          switch (file) {
            case sass::RegisterFile::kGeneral:
              written[n] = true;
              break;
            case sass::RegisterFile::kUniform:
              written[kUniformBase + n] = true;
              break;
            case sass::RegisterFile::kPredicate:
              written[kPredicateBase + n] = true;
              break;
            case sass::RegisterFile::kUniformPredicate:
              written[kUniformPredicateBase + n] = true;
              break;
            case sass::RegisterFile::kBarrier:
              break;
          }
        });
      }
    }
    return written;
  }

  // Whether `id` is the same in every iteration of `loop`.
  bool is_invariant(ExprId id, u32 loop) { return ((e().node(id).loops >> loop) & 1) == 0; }

  void run_loop(u32 loop) {
    const FlowLoop& info = flow_.loops[loop];
    const ThreadState entry = join(info.header);
    bool stores_local = false;
    const std::vector<bool> written = slots_written(loop, stores_local);
    const bool recording = thread_->recording;

    // First execution: placeholders.
    ThreadState header = entry;
    enter_context(loop);
    thread_->code_offset = flow_.blocks[info.header].begin;
    std::vector<ExprId> placeholders(kSlotCount, kNoExpr);
    for (u32 s = 0; s < kSlotCount; ++s) {
      if (!written[s]) continue;
      const ExprId initial = entry.slots[s];
      const bool nondeterministic = facts_.header.count({loop, s}) != 0 ||
                                    facts_.loop_count[loop] ||
                                    (initial != kNoExpr && e().node(initial).nondeterministic);
      placeholders[s] = thread_->opaque(width_of_slot(s), OpaqueCause::kLoop, nondeterministic,
                                        initial != kNoExpr && e().node(initial).from_memory);
      header.slots[s] = placeholders[s];
      thread_->assumed_uniform.insert(placeholders[s]);
    }
    std::map<i64, ExprId> local_placeholders;
    if (stores_local)
      for (auto& [key, value] : header.local) {
        value = thread_->opaque(32, OpaqueCause::kLoop,
                                facts_.local || e().node(value).nondeterministic, true);
        local_placeholders.emplace(key, value);
      }
    for (u32 b = 0; b < 16; ++b)
      if (facts_.barriers.count({loop, b}) != 0) header.barrier_target[b] = kNone;
    header.converged = entry.converged && !facts_.loop_diverges[loop];
    header.never_split = entry.never_split && !facts_.loop_splits[loop];
    thread_->recording = false;
    execute_loop_body(loop, header);
    if (over_budget_) return;

    // What one iteration did.
    std::vector<ExprId> after(kSlotCount, kNoExpr);
    for (u32 s = 0; s < kSlotCount; ++s)
      if (written[s]) after[s] = common_value(info.latches, s);
    resolve(loop, entry, placeholders, after, header);
    for (auto it = header.local.begin(); it != header.local.end();) {
      const auto placeholder = local_placeholders.find(it->first);
      bool unchanged = placeholder != local_placeholders.end();
      if (!stores_local) {
        ++it;
        continue;
      }
      for (const u32 latch : info.latches) {
        const auto found = out_states_[latch].local.find(it->first);
        unchanged = unchanged && found != out_states_[latch].local.end() &&
                    found->second == placeholder->second;
      }
      if (unchanged) {
        it->second = entry.local.at(it->first);
        ++it;
      } else {
        it = header.local.erase(it);
      }
    }

    // Second execution: with what is known about every iteration.
    for (const ExprId placeholder : placeholders) thread_->assumed_uniform.erase(placeholder);
    thread_->recording = recording;
    execute_loop_body(loop, header);
    if (over_budget_) return;
    for (u32 s = 0; s < kSlotCount; ++s) {
      if (!written[s]) continue;
      for (const u32 latch : info.latches) {
        const ExprId value = out_states_[latch].slots[s];
        const bool marked = value != kNoExpr && e().node(value).nondeterministic;
        if (marked || facts_.control[latch]) {
          if (value != header.slots[s] || marked) facts_.raise(facts_.header, loop, s);
        }
      }
    }
    for (const u32 latch : info.latches) {
      if (!out_states_[latch].converged && header.converged)
        facts_.raise(facts_.loop_diverges, loop);
      if (!out_states_[latch].never_split && header.never_split)
        facts_.raise(facts_.loop_splits, loop);
      for (u32 b = 0; b < 16; ++b)
        if (header.barrier_target[b] != kNone &&
            out_states_[latch].barrier_target[b] != header.barrier_target[b])
          facts_.raise(facts_.barriers, loop, b);
    }
    summary_.loops[loop].continues = continue_conditions(loop);
  }

  void execute_loop_body(u32 loop, const ThreadState& header) {
    execute_block(flow_.loops[loop].header, header);
    run_region(loop);
  }

  ExprId common_value(const std::vector<u32>& blocks, u32 slot) {
    ExprId value = out_states_[blocks.front()].slots[slot];
    for (const u32 b : blocks)
      if (out_states_[b].slots[slot] != value) return kNoExpr;
    return value;
  }

  // Replaces placeholders in `header` by closed forms in the iteration number where one iteration
  // only adds an invariant step.
  void resolve(u32 loop, const ThreadState& entry, const std::vector<ExprId>& placeholders,
               const std::vector<ExprId>& after, ThreadState& header) {
    const ExprId iteration = e().iteration(loop, outer_loops(loop), facts_.loop_count[loop]);
    const auto initial = [&](u32 s) { return entry.slots[s]; };
    const auto usable = [&](u32 s) {
      return placeholders[s] != kNoExpr && after[s] != kNoExpr && initial(s) != kNoExpr &&
             facts_.header.count({loop, s}) == 0;
    };
    // `sum` minus its given terms with their coefficients, if what is left is invariant.
    const auto step_of = [&](ExprId after_value, ExprId before_value) -> ExprId {
      const ExprId step = e().sub(after_value, before_value);
      return is_invariant(step, loop) ? step : kNoExpr;
    };
    std::vector<bool> done(kSlotCount, false);
    // 64-bit counters live in two registers, not always neighbours: the high half takes the carry
    // of an addition to the low half's placeholder, or is the upper half of a 64-bit sum with it.
    std::map<ExprId, u32> slot_of;
    for (u32 s = 0; s < kPredicateBase; ++s)
      if (usable(s)) slot_of.emplace(placeholders[s], s);
    for (u32 hi = 0; hi < kPredicateBase; ++hi) {
      if (!usable(hi) || done[hi] || step_of(after[hi], placeholders[hi]) != kNoExpr) continue;
      for (const ExprId candidate : low_half_placeholders(after[hi])) {
        const auto found = slot_of.find(candidate);
        if (found == slot_of.end() || found->second == hi || done[found->second]) continue;
        const u32 lo = found->second;
        const ExprId before = e().concat(placeholders[hi], placeholders[lo]);
        const ExprId step = step_of(e().concat(after[hi], after[lo]), before);
        if (step == kNoExpr) continue;
        const ExprId value =
            e().add(e().concat(initial(hi), initial(lo)), e().mul(step, iteration));
        header.slots[lo] = e().extract(value, 0, 32);
        header.slots[hi] = e().extract(value, 32, 32);
        done[lo] = done[hi] = true;
        break;
      }
    }
    for (u32 s = 0; s < kSlotCount; ++s) {
      if (!usable(s) || done[s]) continue;
      if (after[s] == placeholders[s]) {
        header.slots[s] = initial(s);
        continue;
      }
      const u8 width = width_of_slot(s);
      if (width > 1) {
        const ExprId step = step_of(after[s], placeholders[s]);
        if (step != kNoExpr) {
          header.slots[s] = e().add(initial(s), e().mul(step, e().extract(iteration, 0, width)));
          continue;
        }
      }
      if (is_invariant(after[s], loop)) {
        // Set to the same value in every iteration: initial the first time, that value afterwards.
        header.slots[s] =
            e().select(e().equal(iteration, e().constant(64, 0)), initial(s), after[s]);
      }
    }
  }

  // Opaques that the value `id` of an upper half takes for its lower half: terms of the operands of
  // carries in a sum, and terms of the 64-bit sum whose upper half it is.
  std::vector<ExprId> low_half_placeholders(ExprId id) {
    std::vector<ExprId> result;
    if (e().node(id).kind == ExprKind::kExtract) {
      const ExprId whole = e().operands(id)[0];
      if (e().node(whole).kind != ExprKind::kSum) return result;
      for (ExprId term : e().operands(whole)) {
        if (e().node(term).kind == ExprKind::kZeroExtend) term = e().operands(term)[0];
        if (e().node(term).kind == ExprKind::kOpaque) result.push_back(term);
      }
      return result;
    }
    const auto collect = [&](ExprId operand) {
      if (e().node(operand).kind == ExprKind::kOpaque) result.push_back(operand);
      if (e().node(operand).kind == ExprKind::kSum)
        for (const ExprId term : e().operands(operand))
          if (e().node(term).kind == ExprKind::kOpaque) result.push_back(term);
    };
    const auto visit = [&](ExprId term) {
      if (e().node(term).kind == ExprKind::kZeroExtend) term = e().operands(term)[0];
      if (e().node(term).kind != ExprKind::kCarry) return;
      collect(e().operands(term)[0]);
      collect(e().operands(term)[1]);
    };
    if (e().node(id).kind == ExprKind::kSum) {
      for (const ExprId term : e().operands(id)) visit(term);
    } else {
      visit(id);
    }
    return result;
  }

  // The number of nodes in `id`, counted up to `most`.
  u32 size_of(ExprId id, u32 most) {
    std::vector<ExprId> work = {id};
    std::set<ExprId> seen;
    while (!work.empty() && seen.size() < most) {
      const ExprId at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      for (const ExprId operand : e().operands(at)) work.push_back(operand);
    }
    return static_cast<u32>(seen.size());
  }

  // Conditions that hold whenever another iteration begins.
  std::vector<ExprId> continue_conditions(u32 loop) {
    const FlowLoop& info = flow_.loops[loop];
    std::vector<ExprId> result;
    bool first = true;
    for (const u32 latch : info.latches) {
      std::vector<ExprId> here = conditions_[latch];
      const std::optional<ExprId> edge = edge_condition(latch, info.header);
      if (edge && !e().is_constant(*edge)) here.push_back(*edge);
      std::erase_if(here, [&](ExprId c) {
        const std::vector<ExprId>& outer = conditions_[info.header];
        return std::find(outer.begin(), outer.end(), c) != outer.end();
      });
      if (first) {
        result = here;
      } else {
        std::erase_if(
            result, [&](ExprId c) { return std::find(here.begin(), here.end(), c) == here.end(); });
      }
      first = false;
    }
    return result;
  }

  // ---- Joins -------------------------------------------------------------------------------

  // The condition under which the end of `from` goes to `to`; nothing if it is not expressible.
  std::optional<ExprId> edge_condition(u32 from, u32 to) {
    const Block& block = flow_.blocks[from];
    bool taken = false, not_taken = false;
    for (const Edge& edge : block.successors)
      if (edge.block == to) (edge.taken ? taken : not_taken) = true;
    if (block.ends == EndKind::kIndirectBranch && block.successors.size() > 1) return std::nullopt;
    if (taken && not_taken) return e().constant(1, 1);
    const ExprId condition = end_conditions_[from];
    if (!block.conditional || condition == kNoExpr) return e().constant(1, 1);
    return taken ? condition : e().bit_not(condition);
  }

  // For the predecessors of `b` (in order): the exact condition of coming through each, given that
  // control passed b's dominator and comes to b at all. Nothing if that is not expressible.
  std::optional<std::vector<ExprId>> arrival_conditions(u32 b, const std::vector<u32>& from) {
    const u32 dominator = flow_.blocks[b].immediate_dominator;
    std::vector<u32> region;
    std::vector<u32> work(from);
    std::set<u32> seen = {dominator};
    while (!work.empty()) {
      const u32 at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      region.push_back(at);
      if (region.size() > kMaxJoinRegion) return std::nullopt;
      for (const u32 p : flow_.blocks[at].predecessors) work.push_back(p);
    }
    std::sort(region.begin(), region.end());
    const u32 home = flow_.blocks[b].loop;
    std::map<u32, ExprId> reach = {{dominator, e().constant(1, 1)}};
    std::map<u32, u32> inner_header;  // block of an inner loop -> that loop's header
    const auto loop_outside = [&](u32 block) -> u32 {
      // The outermost loop around `block` that contains neither b nor the dominator.
      u32 result = kNone;
      for (u32 l = flow_.blocks[block].loop; l != kNone; l = flow_.loops[l].parent)
        if (!flow_.loop_contains(l, b)) result = l;
      return result;
    };
    if (flow_.blocks[dominator].loop != home) {
      if (loop_outside(dominator) != kNone) return std::nullopt;
    }
    const auto passes = [&](u32 p, u32 to) -> std::optional<ExprId> {
      const u32 loop = loop_outside(p);
      if (loop == kNone) {
        const auto edge = edge_condition(p, to);
        if (!edge) return std::nullopt;
        return e().bit_and(reach.at(p), *edge);
      }
      // Leaving a loop that has this one way out: certain once it is entered.
      u32 exits = 0;
      for (const u32 inside : flow_.loops[loop].blocks) {
        const Block& block = flow_.blocks[inside];
        if (block.ends == EndKind::kExit || block.ends == EndKind::kTrap ||
            block.ends == EndKind::kLost || block.ends == EndKind::kIndirectCall)
          return std::nullopt;
        for (const Edge& edge : block.successors)
          if (!flow_.loop_contains(loop, edge.block)) ++exits;
      }
      const auto header = reach.find(flow_.loops[loop].header);
      if (exits != 1 || header == reach.end()) return std::nullopt;
      return header->second;
    };
    for (const u32 at : region) {
      const u32 loop = loop_outside(at);
      if (loop != kNone && flow_.loops[loop].header != at) continue;  // inside an inner loop
      ExprId total = e().constant(1, 0);
      for (const u32 p : flow_.blocks[at].predecessors) {
        if (loop != kNone && flow_.loop_contains(loop, p)) continue;  // its own back edge
        if (p >= at) return std::nullopt;
        if (seen.count(p) == 0) return std::nullopt;
        const auto part = passes(p, at);
        if (!part) return std::nullopt;
        total = e().bit_or(total, *part);
      }
      reach[at] = total;
    }
    std::vector<ExprId> result;
    for (const u32 p : from) {
      const auto part = passes(p, b);
      if (!part) return std::nullopt;
      result.push_back(*part);
    }
    return result;
  }

  // The state at the start of `b` from its forward predecessors; also sets conditions_[b].
  ThreadState join(u32 b) {
    const Block& block = flow_.blocks[b];
    if (b == 0 && block.predecessors.empty()) {
      conditions_[b].clear();
      return ThreadState();
    }
    std::vector<u32> from;
    for (const u32 p : block.predecessors)
      if (p < b) from.push_back(p);
    if (from.empty()) {  // the entry is a loop header
      conditions_[b].clear();
      return ThreadState();
    }
    const u32 dominator = block.immediate_dominator;
    conditions_[b] = conditions_[dominator];
    if (from.size() == 1) {
      const auto edge = edge_condition(from[0], b);
      if (edge && !e().is_constant(*edge)) add_condition(conditions_[b], *edge);
      return out_states_[from[0]];
    }
    enter_context(block.loop);
    thread_->code_offset = block.begin;
    const auto arrival = arrival_conditions(b, from);
    if (arrival) {
      ExprId any = e().constant(1, 0);
      for (const ExprId c : *arrival) any = e().bit_or(any, c);
      // Large ones say nothing that anybody could use.
      if (!e().is_constant(any) && size_of(any, kMaxJoinCondition) < kMaxJoinCondition)
        add_condition(conditions_[b], any);
    }
    bool undetermined = false;
    for (const u32 p : from) undetermined |= facts_.control[p];
    ThreadState state = out_states_[from[0]];
    bool split = false;
    for (const u32 p : from) split |= !out_states_[p].converged;
    std::vector<u32> lost;
    for (u32 s = 0; s < kSlotCount; ++s) {
      bool differs = false;
      for (const u32 p : from) differs |= out_states_[p].slots[s] != state.slots[s];
      if (!differs) continue;
      // Parts of one warp came by different ways: a uniform register holds what the last one wrote.
      if (split && is_uniform_slot(s))
        lost.push_back(s);
      else
        state.slots[s] = merged(b, from, arrival, undetermined, width_of_slot(s),
                                [&](u32 p) { return out_states_[p].slots[s]; });
    }
    for (auto it = state.local.begin(); it != state.local.end();) {
      bool everywhere = true, differs = false;
      for (const u32 p : from) {
        const auto found = out_states_[p].local.find(it->first);
        everywhere &= found != out_states_[p].local.end();
        if (everywhere) differs |= found->second != it->second;
      }
      if (!everywhere) {
        it = state.local.erase(it);
        continue;
      }
      if (differs)
        it->second = merged(b, from, arrival, undetermined, 32,
                            [&](u32 p) { return out_states_[p].local.at(it->first); });
      ++it;
    }
    for (const u32 p : from) {
      const ThreadState& other = out_states_[p];
      std::vector<OwnWrite> both;
      std::set_intersection(state.own_writes.begin(), state.own_writes.end(),
                            other.own_writes.begin(), other.own_writes.end(),
                            std::back_inserter(both));
      state.own_writes = std::move(both);
      for (u32 i = 0; i < 16; ++i) {
        if (state.barrier_target[i] != other.barrier_target[i]) state.barrier_target[i] = kNone;
        state.barrier_converged[i] = state.barrier_converged[i] && other.barrier_converged[i];
      }
      state.converged = state.converged && other.converged;
      state.never_split = state.never_split && other.never_split;
    }
    thread_->state = std::move(state);
    for (const u32 s : lost) thread_->lose_uniform(s, true);
    return thread_->state;
  }

  template <typename ValueOf>
  ExprId merged(u32 b, const std::vector<u32>& from,
                const std::optional<std::vector<ExprId>>& arrival, bool undetermined, u8 width,
                ValueOf value_of) {
    bool nondeterministic = undetermined, from_memory = false, complete = true;
    for (const u32 p : from) {
      const ExprId value = value_of(p);
      if (value == kNoExpr) {
        complete = false;
        continue;
      }
      nondeterministic |= e().node(value).nondeterministic;
      from_memory |= e().node(value).from_memory;
    }
    if (!complete && !nondeterministic) return kNoExpr;  // uninitialised on some way
    if (arrival && complete && !undetermined) {
      ExprId value = value_of(from.back());
      for (size_t i = from.size() - 1; i-- > 0;)
        value = e().select((*arrival)[i], value_of(from[i]), value);
      return value;
    }
    thread_->code_offset = flow_.blocks[b].begin;
    return thread_->opaque(width, OpaqueCause::kJoin, nondeterministic, from_memory);
  }

  void add_condition(std::vector<ExprId>& conditions, ExprId c) {
    // Conjunctions are kept apart, so that each part can be used alone.
    const ExprNode& n = e().node(c);
    if (n.kind == ExprKind::kAnd) {
      const ExprId a = e().operands(c)[0], b = e().operands(c)[1];
      add_condition(conditions, a);
      add_condition(conditions, b);
      return;
    }
    // not (a or b)
    if (n.kind == ExprKind::kXor) {
      const ExprId inner = e().bit_not(c);
      if (e().node(inner).kind == ExprKind::kOr) {
        const ExprId a = e().operands(inner)[0], b = e().operands(inner)[1];
        add_condition(conditions, e().bit_not(a));
        add_condition(conditions, e().bit_not(b));
        return;
      }
    }
    if (std::find(conditions.begin(), conditions.end(), c) == conditions.end())
      conditions.push_back(c);
  }

  // ---- Blocks ------------------------------------------------------------------------------

  void execute_block(u32 b, const ThreadState& state) {
    const Block& block = flow_.blocks[b];
    enter_context(block.loop);
    thread_->state = state;
    thread_->conditions = conditions_[b];
    thread_->control_nondeterministic = facts_.control[b];
    for (u32 offset = block.begin; offset < block.end; offset += kInstructionBytes) {
      if (++steps_ > kMaxSteps || e().size() > kMaxExpressions) {
        over_budget_ = true;
        return;
      }
      const Instruction& in = flow_.at(offset);
      thread_->code_offset = offset;
      thread_->current = &in;
      if (!in.known()) break;  // the end of the block says so
      thread_->guard = in.guard_uniform ? thread_->upred(in.guard) : thread_->pred(in.guard);
      if (in.guard_negated) thread_->guard = e().bit_not(thread_->guard);
      if (e().is_false(thread_->guard)) continue;
      thread_->immediate_read = false;
      step(in);
      // A patched word whose immediate nobody read was patched somewhere else.
      if (relocated_.count(offset) != 0 && !thread_->immediate_read &&
          semantics::class_of(in) != Class::kControl)
        thread_->find(Reason::kUnknownRelocation, std::string(sass::to_string(in.opcode)));
    }
    finish_block(b);
    thread_->guard = thread_->flag(true);
    thread_->current = nullptr;
    out_states_[b] = thread_->state;
  }

  void step(const Instruction& in) {
    switch (semantics::class_of(in)) {
      case Class::kData:
      case Class::kMemory:
        semantics::execute(*thread_, in);
        break;
      case Class::kControl:
        convergence(in);
        break;
      case Class::kNothing:
        nothing(in);
        break;
      case Class::kBlockBarrier:
        thread_->block_barrier(in);
        break;
      case Class::kEffect:
        effect(in);
        break;
    }
  }

  void convergence(const Instruction& in) {
    ThreadState& state = thread_->state;
    const Operand* barrier = in.find(Role::kBarrier);
    if (in.opcode == Opcode::kBSSY && barrier != nullptr) {
      const Operand* target = in.find(Role::kTarget);
      const bool certain = e().is_true(thread_->guard);
      state.barrier_target[barrier->reg & 15] =
          target != nullptr && certain ? static_cast<u32>(target->value) : kNone;
      state.barrier_converged[barrier->reg & 15] = state.converged;
    } else if (in.opcode == Opcode::kBSYNC && barrier != nullptr) {
      const u32 target = state.barrier_target[barrier->reg & 15];
      if (target != thread_->code_offset && target != thread_->code_offset + kInstructionBytes)
        thread_->find(Reason::kConvergenceBarrier, fmt::format("B{}", barrier->reg));
      state.converged =
          state.barrier_converged[barrier->reg & 15] && !broken_barriers_[barrier->reg & 15];
    }
  }

  void nothing(const Instruction& in) {
    switch (in.opcode) {
      case Opcode::kMEMBAR:
        if (in.has(Field::kScope, Value::kSYS)) thread_->find(Reason::kSystemScope, "MEMBAR.SYS");
        break;
      case Opcode::kWARPSYNC: {
        const Operand* mask = in.find(Role::kA);
        const bool all = mask == nullptr ? in.has(Field::kSpecial2, Value::kALL)
                                         : mask->kind == sass::OperandKind::kImmediate &&
                                               static_cast<u32>(mask->value) == ~u32{0};
        const bool certain = e().is_true(thread_->guard) &&
                             e().is_true(semantics::read_flag(*thread_, in.find(Role::kPSrc)));
        if (all && certain) thread_->state.converged = thread_->state.never_split = true;
        break;
      }
      case Opcode::kBMOV: {  // a barrier is cleared: until the next BSSY nothing is known of it
        const u32 barrier = in.find(Role::kBarrier)->reg & 15;
        thread_->state.barrier_target[barrier] = kNone;
        thread_->state.barrier_converged[barrier] = false;
        break;
      }
      default:
        break;
    }
  }

  void effect(const Instruction& in) {
    if (semantics::is_cluster_barrier(in.opcode)) return;  // what it orders is not global memory
    const std::string name(sass::to_string(in.opcode));
    if (in.opcode == Opcode::kCCTL && in.has(Field::kCacheOp, Value::kRML2) && discard(in)) return;
    thread_->find(semantics::is_texture_or_surface(in.opcode) ? Reason::kTextureOrSurface
                  : in.opcode == Opcode::kUnknown             ? Reason::kUndecodedInstruction
                  : semantics::is_programmatic(in.opcode)     ? Reason::kProgrammaticLaunch
                                                              : Reason::kUnmodelledInstruction,
                  name);
    thread_->unmodelled(in);
  }

  // discard.L2: the contents of a 128-byte line become undefined, which is a write.
  bool discard(const Instruction& in) {
    constexpr u32 kLine = 128;
    const Operand* operand = in.find(Role::kAddress);
    if (operand == nullptr || !in.has(Field::kAddressExtended, Value::kE)) return false;
    const auto address = semantics::effective_address(*thread_, *operand, true);
    if (!address) return false;
    semantics::MemoryReference<SymbolicThread> line;
    // The whole line, wherever in it the address points.
    line.address = thread_->bit_and(*address, thread_->wide(~u64{kLine - 1}));
    line.bytes = kLine;
    line.instruction = &in;
    thread_->discard(line);
    return true;
  }

  // The last instruction's control effect: its condition, and what it means beyond the edges.
  void finish_block(u32 b) {
    const Block& block = flow_.blocks[b];
    const u32 offset = block.end - kInstructionBytes;
    const Instruction& in = flow_.at(offset);
    thread_->code_offset = offset;
    end_conditions_[b] = kNoExpr;
    if (block.ends == EndKind::kFallThrough) return;
    if (block.ends == EndKind::kLost) {
      thread_->guard = thread_->flag(true);
      thread_->find(block.lost, in.known() ? std::string(sass::to_string(in.opcode)) : "");
      return;
    }
    const semantics::Control control = semantics::control_of(in);
    ExprId condition = thread_->guard;
    condition = e().bit_and(condition, semantics::read_flag(*thread_, control.condition));
    end_conditions_[b] = condition;
    thread_->guard = condition;
    bool undetermined = block.conditional && e().node(condition).nondeterministic;
    switch (block.ends) {
      case EndKind::kReturn:
        check_return(b, in);
        break;
      case EndKind::kIndirectCall:
        indirect_call(in);
        break;
      case EndKind::kIndirectBranch: {
        const SymbolicThread::Marks marks = thread_->marks_of_uses(in);
        undetermined |= marks.nondeterministic;
        thread_->state.converged = thread_->state.never_split = false;
        break;
      }
      case EndKind::kBranch:
      case EndKind::kCall:
        if (block.conditional && !thread_->is_uniform(condition))
          thread_->state.converged = thread_->state.never_split = false;
        break;
      default:
        break;
    }
    if (undetermined) taint_control(b);
  }

  // Everything between a branch and the place where its sides meet again happens or not depending
  // on it.
  void taint_control(u32 b) {
    const u32 meet = flow_.blocks[b].immediate_postdominator;
    std::vector<u32> work;
    for (const Edge& edge : flow_.blocks[b].successors) work.push_back(edge.block);
    std::set<u32> seen;
    while (!work.empty()) {
      const u32 at = work.back();
      work.pop_back();
      if (at == meet || !seen.insert(at).second) continue;
      facts_.raise(facts_.control, at);
      for (const Edge& edge : flow_.blocks[at].successors) work.push_back(edge.block);
    }
    for (u32 loop = flow_.blocks[b].loop; loop != kNone; loop = flow_.loops[loop].parent)
      if (seen.count(flow_.loops[loop].header) != 0) facts_.raise(facts_.loop_count, loop);
  }

  void check_return(u32 b, const Instruction& in) {
    const CallContext& context = flow_.contexts[flow_.blocks[b].context];
    const Operand* a = in.find(Role::kA);
    const Operand* base = in.find(Role::kTarget);
    const bool relative = in.has(Field::kCallMode, Value::kREL);
    if (a != nullptr && base != nullptr && relative) {
      const ExprId address = e().add(semantics::read_wide(*thread_, *a),
                                     e().constant(64, static_cast<u64>(base->value)));
      if (e().is_constant(address, context.return_offset)) return;
    }
    thread_->find(Reason::kIndirectBranch, "return address");
  }

  void indirect_call(const Instruction& in) {
    std::string name;
    for (const container::ResolvedRelocation& relocation : kernel_.relocations)
      if (relocation.offset == thread_->code_offset &&
          relocation.type == container::kRelocationCall47) {
        name = std::string(relocation.symbol_name);
        if (relocation.symbol_defined) name.clear();
      }
    const Operand* a = in.find(Role::kA);
    if (a == nullptr) a = in.find(Role::kB);
    if (name.empty() && a != nullptr) {
      const ExprId target = semantics::read_wide(*thread_, *a);
      if (e().node(target).kind == ExprKind::kSymbolAddress) {
        const std::string& symbol = summary_.symbols[e().node(target).payload].name;
        const auto& symbols = cubin_.symbols();
        const bool defined = std::any_of(symbols.begin(), symbols.end(), [&](const auto& s) {
          return s.name == symbol && s.defined();
        });
        if (!defined) name = symbol;
      }
    }
    if (name == "__assertfail") return;  // ends the launch with an error
    if (name.empty())
      thread_->find(Reason::kIndirectBranch, "call through a register");
    else if (name == "vprintf" || name == "malloc" || name == "free" || name.starts_with("cuda"))
      thread_->find(Reason::kDeviceRuntimeCall, name);
    else
      thread_->find(Reason::kUnresolvedCall, name);
  }

  const container::Cubin& cubin_;
  const container::Kernel& kernel_;
  Summary summary_;
  ControlFlow flow_;
  Facts facts_;
  SymbolicThread* thread_ = nullptr;
  std::vector<ThreadState> out_states_;
  std::vector<ExprId> end_conditions_;
  std::vector<std::vector<ExprId>> conditions_;
  std::array<bool, 16> broken_barriers_{};
  std::set<u32> relocated_;  // offsets of instructions that the loader patches
  u64 steps_ = 0;
  bool over_budget_ = false;
};

}  // namespace

Summary analyze(const container::Cubin& cubin, const container::Kernel& kernel) {
  return Analyzer(cubin, kernel).run();
}

}  // namespace picker::analysis
