#include "analysis/control_flow.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace picker::analysis {
namespace {

using sass::Instruction;
using sass::kInstructionBytes;
using semantics::Control;
using semantics::ControlKind;

constexpr u32 kMaxNodes = 200'000;  // instructions times contexts
constexpr u32 kMaxContexts = 512;

struct Node {
  u32 context;
  u32 offset;
  auto operator<=>(const Node&) const = default;
};

bool is_unconditional(const Instruction& in, const Control& control) {
  const bool guard_true = in.guard == sass::kPT && !in.guard_negated;
  const bool condition_true = control.condition == nullptr ||
                              (control.condition->reg == sass::kPT && !control.condition->invert);
  return guard_true && condition_true;
}

class Builder {
 public:
  Builder(const container::Kernel& kernel, const sass::Decoder& decoder)
      : kernel_(kernel), decoder_(decoder) {
    flow_.instructions.resize(kernel.code.size() / kInstructionBytes);
    decoded_.resize(flow_.instructions.size(), false);
    flow_.contexts.push_back({kNone, kernel.entry_offset, 0});
  }

  ControlFlow run() {
    explore();
    if (!flow_.unusable) make_blocks();
    if (!flow_.unusable) order_blocks();
    if (!flow_.unusable) find_dominators();
    if (!flow_.unusable) find_loops();
    if (!flow_.unusable) find_postdominators();
    return std::move(flow_);
  }

 private:
  void fail(Reason reason, u32 offset, std::string detail) {
    if (flow_.unusable) return;
    flow_.unusable = reason;
    flow_.unusable_offset = offset;
    flow_.unusable_detail = std::move(detail);
  }

  const Instruction* decode(u32 offset) {
    const u32 index = offset / kInstructionBytes;
    if (offset % kInstructionBytes != 0 || index >= flow_.instructions.size()) return nullptr;
    if (!decoded_[index]) {
      flow_.instructions[index] = decoder_.decode(kernel_.code.data() + offset, offset);
      decoded_[index] = true;
    }
    return &flow_.instructions[index];
  }

  bool is_relocated(u32 offset) const {
    return std::any_of(kernel_.relocations.begin(), kernel_.relocations.end(),
                       [&](const container::ResolvedRelocation& r) { return r.offset == offset; });
  }

  bool is_function_start(u64 offset) const {
    return std::any_of(kernel_.functions.begin(), kernel_.functions.end(),
                       [&](const container::DeviceFunction& f) { return f.offset == offset; });
  }

  // The context of a call from `context` to `target` returning to `return_offset`; none if that
  // would be recursion or too much.
  u32 context_for(u32 context, u32 target, u32 return_offset, Reason& reason) {
    for (u32 c = context; c != kNone; c = flow_.contexts[c].parent)
      if (flow_.contexts[c].function == target) {
        reason = Reason::kRecursion;
        return kNone;
      }
    const auto key = std::make_pair(context, return_offset);
    if (const auto it = context_index_.find(key); it != context_index_.end()) return it->second;
    if (flow_.contexts.size() >= kMaxContexts) {
      reason = Reason::kBudget;
      return kNone;
    }
    const u32 made = static_cast<u32>(flow_.contexts.size());
    flow_.contexts.push_back({context, target, return_offset});
    context_index_.emplace(key, made);
    return made;
  }

  // What follows the instruction at `node`.
  struct End {
    EndKind kind = EndKind::kFallThrough;
    bool conditional = false;
    Reason lost{};
    std::vector<std::pair<Node, bool>> next;  // node, taken
    bool splits = false;                      // a block ends here
  };

  End end_of(const Node& node) {
    End end;
    const Instruction& in = *decode(node.offset);
    const u32 next_offset = node.offset + kInstructionBytes;
    const Node next{node.context, next_offset};
    const auto lose = [&](Reason reason) {
      end.kind = EndKind::kLost;
      end.lost = reason;
      end.splits = true;
    };
    if (!in.known()) {
      lose(Reason::kUndecodedInstruction);
      return end;
    }
    const Control control = semantics::control_of(in);
    end.conditional = !is_unconditional(in, control);
    // The loader patches this instruction, so its target in the file means nothing.
    if ((control.kind == ControlKind::kBranch || control.kind == ControlKind::kCall) &&
        is_relocated(node.offset)) {
      lose(Reason::kUnknownRelocation);
      return end;
    }
    switch (control.kind) {
      case ControlKind::kNext:
      case ControlKind::kBarrierSet:
      case ControlKind::kBarrierBreak:
        end.conditional = false;
        break;
      case ControlKind::kBarrierSync:
        end.conditional = false;
        if (!sync_is_paired(in, node.offset)) {
          lose(Reason::kConvergenceBarrier);
          return end;
        }
        break;
      case ControlKind::kBranch:
        end.kind = EndKind::kBranch;
        end.splits = true;
        end.next.emplace_back(Node{node.context, static_cast<u32>(control.target)}, true);
        break;
      case ControlKind::kCall: {
        end.splits = true;
        const u32 target = static_cast<u32>(control.target);
        if (!is_function_start(control.target)) {
          end.kind = EndKind::kBranch;
          end.next.emplace_back(Node{node.context, target}, true);
          break;
        }
        Reason reason{};
        const u32 callee = context_for(node.context, target, next_offset, reason);
        if (callee == kNone) {
          lose(reason);
        } else {
          end.kind = EndKind::kCall;
          end.next.emplace_back(Node{callee, target}, true);
        }
        break;
      }
      case ControlKind::kReturn:
        end.splits = true;
        if (flow_.contexts[node.context].parent == kNone) {
          lose(Reason::kIndirectBranch);
        } else {
          end.kind = EndKind::kReturn;
          end.next.emplace_back(
              Node{flow_.contexts[node.context].parent, flow_.contexts[node.context].return_offset},
              true);
        }
        break;
      case ControlKind::kExit:
        end.kind = EndKind::kExit;
        end.splits = true;
        break;
      case ControlKind::kTrap:
        end.kind = EndKind::kTrap;
        end.splits = true;
        break;
      case ControlKind::kIndirectBranch: {
        end.splits = true;
        const container::IndirectBranch* table = nullptr;
        for (const container::IndirectBranch& candidate : kernel_.indirect_branches)
          if (candidate.branch_offset == node.offset) table = &candidate;
        if (table == nullptr || table->targets.empty()) {
          lose(Reason::kIndirectBranch);
          break;
        }
        end.kind = EndKind::kIndirectBranch;
        std::vector<u32> targets = table->targets;
        std::sort(targets.begin(), targets.end());
        targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
        for (const u32 target : targets) end.next.emplace_back(Node{node.context, target}, true);
        break;
      }
      case ControlKind::kIndirectCall:
        end.kind = EndKind::kIndirectCall;
        end.splits = true;
        break;
      case ControlKind::kUnmodelled:
        lose(Reason::kControlFlow);
        break;
    }
    const bool falls = end.kind == EndKind::kFallThrough || end.conditional;
    if (falls) {
      if (decode(next_offset) == nullptr)
        lose(Reason::kControlFlow);
      else
        end.next.emplace_back(next, end.kind == EndKind::kFallThrough);
    }
    for (const auto& [to, taken] : end.next)
      if (decode(to.offset) == nullptr) {
        lose(Reason::kControlFlow);
        end.next.clear();
        break;
      }
    return end;
  }

  // BSYNC continues at the target of the BSSY that armed its barrier register. Compilers put it at
  // that target or right before; then it falls through. Every BSSY of that register in reachable
  // code that could pair with it must agree, so: some BSSY names this place.
  bool sync_is_paired(const Instruction& in, u32 offset) {
    const sass::Operand* barrier = in.find(sass::Role::kBarrier);
    if (barrier == nullptr) return false;
    for (u32 index = 0; index < flow_.instructions.size(); ++index) {
      const Instruction* other = decode(index * kInstructionBytes);
      if (other->opcode != sass::Opcode::kBSSY) continue;
      const sass::Operand* set = other->find(sass::Role::kBarrier);
      const sass::Operand* target = other->find(sass::Role::kTarget);
      if (set == nullptr || target == nullptr || set->reg != barrier->reg) continue;
      const u64 to = static_cast<u64>(target->value);
      if (to == offset || to == offset + kInstructionBytes) return true;
    }
    return false;
  }

  void explore() {
    const Node entry{0, kernel_.entry_offset};
    if (decode(entry.offset) == nullptr) return fail(Reason::kControlFlow, 0, "no code");
    std::vector<Node> work = {entry};
    leaders_[entry] = kNone;
    while (!work.empty()) {
      const Node node = work.back();
      work.pop_back();
      if (ends_.count(node) != 0) continue;
      if (ends_.size() >= kMaxNodes) return fail(Reason::kBudget, node.offset, "code size");
      End end = end_of(node);
      const bool splits = end.splits;
      for (const auto& [to, taken] : end.next) {
        if (splits) leaders_[to] = kNone;
        // A second way into an instruction starts a block there.
        if (++entries_[to] > 1) leaders_[to] = kNone;
        work.push_back(to);
      }
      ends_.emplace(node, std::move(end));
    }
  }

  void make_blocks() {
    for (auto& [leader, index] : leaders_) {
      index = static_cast<u32>(flow_.blocks.size());
      Block block;
      block.context = leader.context;
      block.begin = leader.offset;
      flow_.blocks.push_back(block);
    }
    for (const auto& [leader, index] : leaders_) {
      Block& block = flow_.blocks[index];
      Node at = leader;
      while (true) {
        const End& end = ends_.at(at);
        block.end = at.offset + kInstructionBytes;
        if (end.splits) {
          block.ends = end.kind;
          block.conditional = end.conditional;
          block.lost = end.lost;
          for (const auto& [to, taken] : end.next)
            block.successors.push_back({leaders_.at(to), taken});
          break;
        }
        const Node next = end.next.front().first;
        if (const auto it = leaders_.find(next); it != leaders_.end()) {
          block.successors.push_back({it->second, true});
          break;
        }
        at = next;
      }
    }
  }

  void order_blocks() {
    const u32 count = static_cast<u32>(flow_.blocks.size());
    std::vector<u8> state(count, 0);
    std::vector<u32> postorder;
    std::vector<std::pair<u32, u32>> stack;
    const u32 entry = leaders_.at(Node{0, kernel_.entry_offset});
    stack.emplace_back(entry, 0);
    state[entry] = 1;
    while (!stack.empty()) {
      auto& [block, edge] = stack.back();
      if (edge < flow_.blocks[block].successors.size()) {
        const u32 to = flow_.blocks[block].successors[edge++].block;
        if (state[to] == 0) {
          state[to] = 1;
          stack.emplace_back(to, 0);
        }
      } else {
        postorder.push_back(block);
        stack.pop_back();
      }
    }
    std::vector<u32> new_index(count, kNone);
    std::vector<Block> ordered;
    for (auto it = postorder.rbegin(); it != postorder.rend(); ++it) {
      new_index[*it] = static_cast<u32>(ordered.size());
      ordered.push_back(std::move(flow_.blocks[*it]));
    }
    for (u32 i = 0; i < ordered.size(); ++i) {
      ordered[i].order = i;
      for (Edge& edge : ordered[i].successors) edge.block = new_index[edge.block];
    }
    for (u32 i = 0; i < ordered.size(); ++i)
      for (const Edge& edge : ordered[i].successors) {
        std::vector<u32>& p = ordered[edge.block].predecessors;
        if (std::find(p.begin(), p.end(), i) == p.end()) p.push_back(i);
      }
    flow_.blocks = std::move(ordered);
  }

  void find_dominators() {
    std::vector<Block>& blocks = flow_.blocks;
    std::vector<u32> idom(blocks.size(), kNone);
    idom[0] = 0;
    const auto intersect = [&](u32 a, u32 b) {
      while (a != b) {
        while (a > b) a = idom[a];
        while (b > a) b = idom[b];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 i = 1; i < blocks.size(); ++i) {
        u32 best = kNone;
        for (const u32 p : blocks[i].predecessors)
          if (idom[p] != kNone) best = best == kNone ? p : intersect(p, best);
        if (best != idom[i]) {
          idom[i] = best;
          changed = true;
        }
      }
    }
    for (u32 i = 1; i < blocks.size(); ++i) blocks[i].immediate_dominator = idom[i];
  }

  bool dominates(u32 a, u32 b) const {
    while (b > a) b = flow_.blocks[b].immediate_dominator;
    return a == b;
  }

  void find_loops() {
    std::vector<Block>& blocks = flow_.blocks;
    for (u32 header = 0; header < blocks.size(); ++header) {
      std::vector<u32> latches;
      for (const u32 p : blocks[header].predecessors) {
        if (p < header) continue;  // a forward edge
        if (!dominates(header, p))
          return fail(Reason::kControlFlow, blocks[header].begin, "irreducible control flow");
        latches.push_back(p);
      }
      if (latches.empty()) continue;
      std::vector<bool> inside(blocks.size(), false);
      inside[header] = true;
      std::vector<u32> work = latches;
      while (!work.empty()) {
        const u32 at = work.back();
        work.pop_back();
        if (inside[at]) continue;
        inside[at] = true;
        for (const u32 p : blocks[at].predecessors) work.push_back(p);
      }
      FlowLoop loop;
      loop.header = header;
      loop.latches = std::move(latches);
      loop.parent = blocks[header].loop;
      const u32 number = static_cast<u32>(flow_.loops.size());
      for (u32 i = header; i < blocks.size(); ++i)
        if (inside[i]) {
          loop.blocks.push_back(i);
          blocks[i].loop = number;  // headers come outermost first: the innermost wins
        }
      loop.depth = loop.parent == kNone ? 1 : flow_.loops[loop.parent].depth + 1;
      flow_.loops.push_back(std::move(loop));
    }
  }

  void find_postdominators() {
    std::vector<Block>& blocks = flow_.blocks;
    const u32 count = static_cast<u32>(blocks.size());
    // Postorder of the reversed graph from a virtual end node `count`.
    std::vector<std::vector<u32>> successors(count + 1), predecessors(count + 1);
    for (u32 i = 0; i < count; ++i) {
      for (const Edge& edge : blocks[i].successors) {
        successors[i].push_back(edge.block);
        predecessors[edge.block].push_back(i);
      }
      const bool may_end = blocks[i].successors.empty() || blocks[i].ends == EndKind::kExit ||
                           blocks[i].ends == EndKind::kTrap || blocks[i].ends == EndKind::kLost ||
                           blocks[i].ends == EndKind::kIndirectCall;
      if (may_end) {
        successors[i].push_back(count);
        predecessors[count].push_back(i);
      }
    }
    std::vector<u32> number(count + 1, kNone), order;
    std::vector<std::pair<u32, u32>> stack = {{count, 0}};
    std::vector<bool> seen(count + 1, false);
    seen[count] = true;
    while (!stack.empty()) {
      auto& [node, edge] = stack.back();
      if (edge < predecessors[node].size()) {
        const u32 to = predecessors[node][edge++];
        if (!seen[to]) {
          seen[to] = true;
          stack.emplace_back(to, 0);
        }
      } else {
        order.push_back(node);
        stack.pop_back();
      }
    }
    std::reverse(order.begin(), order.end());
    for (u32 i = 0; i < order.size(); ++i) number[order[i]] = i;
    std::vector<u32> ipdom(count + 1, kNone);
    ipdom[count] = count;
    const auto intersect = [&](u32 a, u32 b) {
      while (a != b) {
        while (number[a] > number[b]) a = ipdom[a];
        while (number[b] > number[a]) b = ipdom[b];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const u32 node : order) {
        if (node == count) continue;
        u32 best = kNone;
        for (const u32 s : successors[node])
          if (number[s] != kNone && ipdom[s] != kNone)
            best = best == kNone ? s : intersect(s, best);
        if (best != ipdom[node]) {
          ipdom[node] = best;
          changed = true;
        }
      }
    }
    // Blocks that cannot reach the end (endless loops) keep none: treated as reaching the end.
    for (u32 i = 0; i < count; ++i)
      blocks[i].immediate_postdominator = ipdom[i] == count ? kNone : ipdom[i];
  }

  const container::Kernel& kernel_;
  const sass::Decoder& decoder_;
  ControlFlow flow_;
  std::vector<bool> decoded_;
  std::map<std::pair<u32, u32>, u32> context_index_;
  std::map<Node, u32> leaders_;
  std::map<Node, u32> entries_;
  std::map<Node, End> ends_;
};

}  // namespace

ControlFlow build_control_flow(const container::Kernel& kernel, const sass::Decoder& decoder) {
  return Builder(kernel, decoder).run();
}

}  // namespace picker::analysis
