#include "analysis/symbolic_thread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sass/registers.hpp"
#include "sass/special_registers.hpp"

namespace picker::analysis {

using container::DriverConstant;
using sass::Field;
using sass::Instruction;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;
using sass::Role;
using sass::Value;
using semantics::MemoryReference;
using semantics::Space;
using semantics::Words;

namespace {
constexpr u64 kMaxClusterBlocks = 16;  // without the portable limit of 8
constexpr u32 kMaxSelectSplits = 3;    // choices of an address that are judged apart: 2^3 sites
}  // namespace

SymbolicThread::SymbolicThread(const container::Cubin& cubin, const container::Kernel& kernel,
                               Summary& summary, Facts& facts)
    : cubin_(cubin),
      kernel_(kernel),
      layout_(container::constant_bank_layout(kernel.sm)),
      summary_(summary),
      e_(summary.expressions),
      facts_(facts) {
  stack_pointer_ = opaque(32, OpaqueCause::kDriverConstant, true, false);
  shared_window_ = opaque(64, OpaqueCause::kDriverConstant, true, false);
  local_window_ = opaque(64, OpaqueCause::kDriverConstant, true, false);
  guard = flag(true);
}

ExprId SymbolicThread::opaque(u8 width, OpaqueCause cause, bool nondeterministic, bool from_memory,
                              u64 hi) {
  const u64 all = width >= 64 ? ~u64{0} : (u64{1} << width) - 1;
  // What the last iteration leaves behind hangs on how many there were.
  for (const LoopId loop : loop_stack) nondeterministic |= facts_.loop_count[loop];
  return e_.make_opaque(width, 0, std::min(hi, all), cause, code_offset, loops, nondeterministic,
                        from_memory);
}

void SymbolicThread::find(Reason reason, std::string detail) {
  if (!recording) return;
  Finding finding;
  finding.reason = reason;
  finding.code_offset = code_offset;
  finding.conditions = conditions;
  if (!e_.is_true(guard)) finding.conditions.push_back(guard);
  finding.loops = loop_stack;
  finding.detail = std::move(detail);
  summary_.findings.push_back(std::move(finding));
}

// ---- Registers -----------------------------------------------------------------------------

ExprId SymbolicThread::read_slot(u32 slot, u8 width) {
  if (state.slots[slot] == kNoExpr)
    state.slots[slot] = opaque(width, OpaqueCause::kUninitialised, false, false);
  return state.slots[slot];
}

void SymbolicThread::write_slot(u32 slot, ExprId x, u8 width) {
  if (e_.is_true(guard)) {
    state.slots[slot] = x;
  } else {
    const ExprId old = read_slot(slot, width);
    state.slots[slot] = e_.select(guard, x, old);
  }
}

// A uniform register is one per warp. Where the warp may be split, an instruction runs once per
// part; the result is still what this thread sees only if running it again changes nothing, that
// is, if it reads no uniform register. Otherwise the value is lost.
// Likewise if only some lanes may execute it: any of them writes for all.
void SymbolicThread::set_ureg(u8 n, Word x) {
  if (n == sass::kURZ) return;
  bool lost = !is_uniform(guard);
  if (!state.converged && !lost) {
    if (current != nullptr)
      sass::for_each_use(*current, [&](sass::RegisterFile file, u8) {
        lost |=
            file == sass::RegisterFile::kUniform || file == sass::RegisterFile::kUniformPredicate;
      });
    lost |= !is_uniform(x);
  }
  if (lost)
    lose_uniform(kUniformBase + n, e_.node(x).from_memory);
  else
    write_slot(kUniformBase + n, x, 32);
}

void SymbolicThread::set_upred(u8 n, Flag x) {
  if (n == sass::kPT) return;
  if ((!state.converged && !e_.is_constant(x)) || !is_uniform(guard))
    lose_uniform(kUniformPredicateBase + n, e_.node(x).from_memory);
  else
    write_slot(kUniformPredicateBase + n, x, 1);
}

void SymbolicThread::lose_uniform(u32 slot, bool from_memory) {
  const bool predicate = slot >= kUniformPredicateBase;
  state.slots[slot] = opaque(predicate ? 1 : 32, OpaqueCause::kWarpValue, true, from_memory);
  summary_.uncertain_uniforms.push_back(
      {code_offset, static_cast<u8>(slot - (predicate ? kUniformPredicateBase : kUniformBase)),
       predicate});
}

bool SymbolicThread::is_uniform(ExprId id) const {
  std::vector<ExprId> work = {id};
  std::set<ExprId> seen;
  while (!work.empty()) {
    const ExprId at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) continue;
    switch (e_.node(at).kind) {
      case ExprKind::kThreadIndex:
        return false;
      case ExprKind::kIteration:
        if (facts_.loop_diverges[e_.node(at).payload]) return false;
        break;
      case ExprKind::kOpaque:
        if (e_.opaque(e_.node(at).payload).cause != OpaqueCause::kDriverConstant &&
            assumed_uniform.count(at) == 0)
          return false;
        break;
      default:
        break;
    }
    for (const ExprId operand : e_.operands(at)) work.push_back(operand);
  }
  return true;
}

ExprId SymbolicThread::any_lane(const Instruction&, Word x) {
  if (is_uniform(x)) return x;
  const ExprNode& n = e_.node(x);
  return opaque(32, OpaqueCause::kWarpValue, n.nondeterministic || !state.never_split,
                n.from_memory);
}

SymbolicThread::Marks SymbolicThread::marks_of_uses(const Instruction& in) {
  Marks marks;
  const auto merge = [&](ExprId id) {
    if (id == kNoExpr) return;
    marks.nondeterministic |= e_.node(id).nondeterministic;
    marks.from_memory |= e_.node(id).from_memory;
  };
  sass::for_each_use(in, [&](sass::RegisterFile file, u8 n) {
    switch (file) {
      case sass::RegisterFile::kGeneral:
        merge(state.slots[n]);
        break;
      case sass::RegisterFile::kUniform:
        merge(state.slots[kUniformBase + n]);
        break;
      case sass::RegisterFile::kPredicate:
        merge(state.slots[kPredicateBase + n]);
        break;
      case sass::RegisterFile::kUniformPredicate:
        merge(state.slots[kUniformPredicateBase + n]);
        break;
      case sass::RegisterFile::kBarrier:
        break;
    }
  });
  if (in.opcode == Opcode::kP2R)  // reads all predicates without naming them
    for (u32 i = 0; i < 7; ++i) merge(state.slots[kPredicateBase + i]);
  for (u32 i = 0; i < in.operand_count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.kind == OperandKind::kConstant) {
      if (operand.bank == 0 && !operand.has_reg && !operand.has_ureg)
        merge(bank0_word(static_cast<u32>(operand.value)));
      else if (operand.bank != 2 && operand.bank != 4)
        marks.from_memory = true;
      if (operand.bank == 3) {
        const ExprId at = operand.has_reg || operand.has_ureg
                              ? opaque(32, OpaqueCause::kArithmetic, false, true)
                              : word(static_cast<u32>(operand.value));
        for (u32 w = 0; w < operand.width; ++w) constant_word(3, add(at, word(4 * w)));
      }
    } else if (operand.kind == OperandKind::kBindlessConstant) {
      marks.nondeterministic = marks.from_memory = true;
      find(Reason::kAddressForm, "a constant bank named by a register");
    }
  }
  return marks;
}

// ---- Values --------------------------------------------------------------------------------

ExprId SymbolicThread::immediate(u32 value) {
  immediate_read = true;
  for (const container::ResolvedRelocation& relocation : kernel_.relocations) {
    if (relocation.offset != code_offset) continue;
    const bool low = relocation.type == container::kRelocationLow32 ||
                     relocation.type == container::kRelocationFunctionLow32;
    const bool high = relocation.type == container::kRelocationHigh32 ||
                      relocation.type == container::kRelocationFunctionHigh32;
    if (!low && !high) {
      find(Reason::kUnknownRelocation, fmt::format("type {:#x}", relocation.type));
      return opaque(32, OpaqueCause::kArithmetic, false, false);
    }
    const i64 addend = relocation.explicit_addend ? relocation.addend : static_cast<i64>(value);
    return symbol_word(std::string(relocation.symbol_name), addend, high);
  }
  return word(value);
}

u32 SymbolicThread::symbol_number(const std::string& name, bool constant_bank) {
  for (u32 i = 0; i < summary_.symbols.size(); ++i)
    if (summary_.symbols[i].name == name && summary_.symbols[i].constant_bank == constant_bank)
      return i;
  summary_.symbols.push_back({name, constant_bank});
  return static_cast<u32>(summary_.symbols.size() - 1);
}

ExprId SymbolicThread::symbol_word(const std::string& name, i64 addend, bool high_word) {
  const ExprId address = e_.add(e_.symbol_address(symbol_number(name, false)),
                                e_.constant(64, static_cast<u64>(addend)));
  return high_word ? high(address) : low(address);
}

ExprId SymbolicThread::population_count(Word a) {
  if (const auto value = known(a)) return word(static_cast<u32>(__builtin_popcount(*value)));
  const ExprNode n = e_.node(a);
  return opaque(32, OpaqueCause::kArithmetic, n.nondeterministic, n.from_memory, 32);
}

ExprId SymbolicThread::reverse_bits(Word a) {
  if (const auto value = known(a)) {
    u32 out = 0;
    for (u32 i = 0; i < 32; ++i) out |= ((*value >> i) & 1) << (31 - i);
    return word(out);
  }
  const ExprNode n = e_.node(a);
  return opaque(32, OpaqueCause::kArithmetic, n.nondeterministic, n.from_memory);
}

// A chain of two compares is a 64-bit compare if the lower one compared the low words by the same
// relation; the predicate's expression shows them.
std::optional<ExprId> SymbolicThread::compare_extended(Value relation, bool is_signed, Word a,
                                                       Word b, Flag low_flag) {
  const auto less64 = [&](ExprId x, ExprId y) {
    return is_signed ? e_.less_signed(x, y) : e_.less_unsigned(x, y);
  };
  const bool negated = relation == Value::kGE || relation == Value::kLE || relation == Value::kNE;
  const ExprId base = negated ? e_.bit_not(low_flag) : low_flag;
  const ExprNode& n = e_.node(base);
  const bool orders = relation == Value::kLT || relation == Value::kLE || relation == Value::kGT ||
                      relation == Value::kGE;
  if (!orders) return semantics::compare_high_word(*this, relation, is_signed, a, b, low_flag);
  if (n.kind == ExprKind::kLessUnsigned && e_.width(e_.operands(base)[0]) == 32) {
    const ExprId x = e_.operands(base)[0], y = e_.operands(base)[1];
    // LT, GE: the low compare was low(a) < low(b); GT, LE: low(b) < low(a).
    const bool swapped = relation == Value::kGT || relation == Value::kLE;
    const ExprId result = swapped ? less64(e_.concat(b, x), e_.concat(a, y))
                                  : less64(e_.concat(a, x), e_.concat(b, y));
    return negated ? e_.bit_not(result) : result;
  }
  if (e_.is_constant(low_flag)) {
    const bool tie = e_.is_true(low_flag);
    switch (relation) {
      case Value::kLT:
      case Value::kLE:
        return tie ? e_.bit_not(less64(b, a)) : less64(a, b);
      case Value::kGT:
      case Value::kGE:
        return tie ? e_.bit_not(less64(a, b)) : less64(b, a);
      default:
        break;
    }
  }
  return semantics::compare_high_word(*this, relation, is_signed, a, b, low_flag);
}

// ---- Constants and special registers -------------------------------------------------------

ExprId SymbolicThread::bank0_word(u32 offset) {
  if (offset >= kernel_.parameter_base &&
      offset + 4 <= kernel_.parameter_base + std::max<u32>(kernel_.parameter_size, 4))
    return e_.launch_constant(32, offset);
  if (layout_ != nullptr) {
    const container::DriverConstantSlot* slot = layout_->find(offset, 4);
    if (slot != nullptr) {
      switch (slot->constant) {
        case DriverConstant::kBlockDimX:
        case DriverConstant::kBlockDimY:
        case DriverConstant::kBlockDimZ:
        case DriverConstant::kGridDimX:
        case DriverConstant::kGridDimY:
        case DriverConstant::kGridDimZ:
          return e_.launch_constant(32, offset);
        case DriverConstant::kStackPointer:
          return stack_pointer_;
        case DriverConstant::kSharedWindowBase:
          if (slot->size == 8) return e_.extract(shared_window_, 8 * (offset - slot->offset), 32);
          break;
        case DriverConstant::kLocalWindowBase:
          if (slot->size == 8) return e_.extract(local_window_, 8 * (offset - slot->offset), 32);
          break;
        default:
          break;
      }
    }
  }
  const auto [it, made] = driver_words_.try_emplace(offset, kNoExpr);
  if (made) {
    const bool is_descriptor =
        layout_ != nullptr && layout_->find(DriverConstant::kGlobalDescriptor) != nullptr &&
        layout_->find(offset, 4) == layout_->find(DriverConstant::kGlobalDescriptor);
    const u64 saved = loops;
    loops = 0;
    it->second = opaque(32, OpaqueCause::kDriverConstant, !is_descriptor, false);
    loops = saved;
  }
  return it->second;
}

ExprId SymbolicThread::constant_word(u8 bank, Word offset) {
  static const Instruction kNoInstruction;
  return constant_bytes(kNoInstruction, bank, offset, 4);
}

ExprId SymbolicThread::constant_wide(u8 bank, Word offset) {
  return join(constant_word(bank, add(offset, word(4))), constant_word(bank, offset));
}

ExprId SymbolicThread::constant_bytes(const Instruction&, u8 bank, Word offset, u32 bytes) {
  const std::optional<u32> at = known(offset);
  const u64 largest = bytes >= 4 ? 0xffffffffu : (u64{1} << (8 * bytes)) - 1;
  const ExprNode offset_node = e_.node(offset);
  switch (bank) {
    case 0:
      if (at) {
        if (bytes == 4 && *at % 4 == 0) return bank0_word(*at);
        if (*at >= kernel_.parameter_base &&
            u64{*at} + bytes <= u64{kernel_.parameter_base} + kernel_.parameter_size && bytes < 4)
          return e_.zero_extend(e_.launch_constant(static_cast<u8>(8 * bytes), *at), 32);
        return opaque(32, OpaqueCause::kDriverConstant, true, false, largest);
      }
      // A parameter picked at run time. An index counted from inside the parameters stays inside
      // them (what lies outside is undefined); any other may name the driver's own bytes.
      return opaque(32, OpaqueCause::kConstantLoad,
                    offset_node.nondeterministic || !is_parameter_index(offset), true, largest);
    case 2: {
      if (!kernel_.constant2_relocations.empty()) break;
      if (at) {
        u32 value = 0;
        const std::optional<Slice> part = kernel_.constant2.sub(*at, bytes);
        if (!part) break;
        for (u32 i = 0; i < bytes; ++i) value |= static_cast<u32>(part->data()[i]) << (8 * i);
        return word(value);
      }
      return opaque(32, OpaqueCause::kConstantLoad, offset_node.nondeterministic,
                    offset_node.from_memory, largest);
    }
    case 3: {
      const ExprId address =
          add(e_.symbol_address(symbol_number(".nv.constant3", true)), e_.zero_extend(offset, 64));
      record_site(AccessKind::kRead, address, bytes, false, false);
      if (at && bytes == 4) {
        const auto [it, made] = constant3_words_.try_emplace(*at, kNoExpr);
        if (made) {
          const u64 saved = loops;
          loops = 0;
          it->second = opaque(32, OpaqueCause::kConstantLoad, false, true);
          loops = saved;
        }
        return it->second;
      }
      return opaque(32, OpaqueCause::kConstantLoad, offset_node.nondeterministic, true, largest);
    }
    case 4:
      if (at && bytes == 4) {
        const u64 entry_offset = *at & ~7u;
        if (const auto entry = cubin_.constant4_entry(entry_offset); entry && *at % 4 == 0)
          return symbol_word(std::string(entry->symbol_name), entry->addend, *at % 8 == 4);
      }
      break;
    default:
      break;
  }
  return opaque(32, OpaqueCause::kConstantLoad, true, true, largest);
}

bool SymbolicThread::is_parameter_index(ExprId offset) const {
  const ExprNode& n = e_.node(offset);
  if (n.kind != ExprKind::kSum || n.payload < kernel_.parameter_base) return false;
  constexpr u64 kLargestStep = 1u << 16;
  return std::all_of(e_.coefficients(offset).begin(), e_.coefficients(offset).end(),
                     [](u64 coefficient) { return coefficient <= kLargestStep; });
}

bool SymbolicThread::is_global_descriptor(u8 uniform_register) {
  if (layout_ == nullptr || uniform_register == sass::kURZ) return false;
  const container::DriverConstantSlot* slot = layout_->find(DriverConstant::kGlobalDescriptor);
  if (slot == nullptr) return false;
  return ureg(uniform_register) == bank0_word(slot->offset) &&
         ureg(static_cast<u8>(uniform_register + 1)) == bank0_word(slot->offset + 4u);
}

ExprId SymbolicThread::special_register(const Instruction&, u32 number, u32 index) {
  using sass::SpecialRegister;
  if (number == static_cast<u32>(SpecialRegister::kZero)) return word(0);
  if (index == 0) {
    switch (static_cast<SpecialRegister>(number)) {
      case SpecialRegister::kThreadIdX:
        return e_.thread_index(0);
      case SpecialRegister::kThreadIdY:
        return e_.thread_index(1);
      case SpecialRegister::kThreadIdZ:
        return e_.thread_index(2);
      case SpecialRegister::kBlockIdX:
        return e_.block_index(0);
      case SpecialRegister::kBlockIdY:
        return e_.block_index(1);
      case SpecialRegister::kBlockIdZ:
        return e_.block_index(2);
      case SpecialRegister::kClusterBlock:  // decided by the block's index and the cluster's size
        return opaque(32, OpaqueCause::kDriverConstant, false, false, kMaxClusterBlocks - 1);
      case SpecialRegister::kSharedWindowHigh:
        return e_.extract(shared_window_, 32, 32);
      case SpecialRegister::kLocalWindowHigh:
        return e_.extract(local_window_, 32, 32);
      case SpecialRegister::kLaneId: {
        // Warps are runs of 32 consecutive threads, x fastest (CUDA programming guide).
        if (layout_ == nullptr) break;
        const ExprId nx = bank0_word(layout_->find(DriverConstant::kBlockDimX)->offset);
        const ExprId ny = bank0_word(layout_->find(DriverConstant::kBlockDimY)->offset);
        const ExprId row = add(e_.thread_index(1), mul(ny, e_.thread_index(2)));
        return field(add(e_.thread_index(0), mul(nx, row)), 0, 5);
      }
      case SpecialRegister::kEqualMask:
      case SpecialRegister::kLessThanMask:
      case SpecialRegister::kLessEqualMask:
      case SpecialRegister::kGreaterThanMask:
      case SpecialRegister::kGreaterEqualMask:
        return opaque(32, OpaqueCause::kWarpValue, false, false);
      default:
        break;
    }
  }
  // Clocks, timers, SM and warp ids, counters; and everything not named above.
  return opaque(32, OpaqueCause::kClock, true, false);
}

// ---- Memory --------------------------------------------------------------------------------

std::optional<i64> SymbolicThread::local_offset(ExprId address) const {
  // Local addresses arrive as zext(stack pointer + constant).
  ExprId word_address = address;
  if (e_.node(address).kind == ExprKind::kZeroExtend) word_address = e_.operands(address)[0];
  if (word_address == stack_pointer_) return 0;
  const ExprNode& n = e_.node(word_address);
  if (n.kind == ExprKind::kSum && n.width == 32 && n.operand_count == 1 &&
      e_.operands(word_address)[0] == stack_pointer_ && e_.coefficients(word_address)[0] == 1)
    return static_cast<i32>(n.payload);
  return std::nullopt;
}

// Whether the place of an access may differ between runs. Local memory lies at the stack pointer,
// which the driver chooses; what counts is the place in the thread's own frame.
bool SymbolicThread::is_undetermined_place(const MemoryReference<SymbolicThread>& ref) {
  if (ref.space != Space::kLocal) return e_.node(ref.address).nondeterministic;
  ExprId at = ref.address;
  if (e_.node(at).kind == ExprKind::kZeroExtend) at = e_.operands(at)[0];
  if (e_.width(at) != 32) return e_.node(at).nondeterministic;
  return e_.node(e_.sub(at, stack_pointer_)).nondeterministic;
}

// What is known to hold here makes choices inside the expression for good.
ExprId SymbolicThread::refined(ExprId id) {
  const auto assume = [&](ExprId condition) {
    bool value = true;
    const ExprId positive = e_.bit_not(e_.bit_not(condition));
    ExprId base = positive;
    if (e_.node(positive).kind == ExprKind::kXor) {
      base = e_.bit_not(positive);
      value = false;
    }
    if (e_.is_constant(base)) return;
    if (e_.mentions(id, base)) id = e_.substitute(id, base, flag(value));
  };
  if (!e_.is_true(guard)) assume(guard);
  for (const ExprId condition : conditions) assume(condition);
  return id;
}

void SymbolicThread::record_site(AccessKind kind, ExprId address, u32 bytes, bool generic,
                                 bool shielded) {
  if (!recording) return;
  AccessSite site;
  site.code_offset = code_offset;
  site.kind = kind;
  site.address = refined(address);
  site.size = bytes;
  site.conditions = conditions;
  if (!e_.is_true(guard)) site.conditions.push_back(guard);
  site.loops = loop_stack;
  site.generic = generic;
  site.shielded = shielded;
  push_site(std::move(site), kMaxSelectSplits);
}

ExprId SymbolicThread::choice_in(ExprId address) const {
  ExprId choice = kNoExpr;
  if (e_.node(address).kind == ExprKind::kSelect) choice = address;
  if (e_.node(address).kind == ExprKind::kSum)
    for (const ExprId term : e_.operands(address))
      if (e_.node(term).kind == ExprKind::kSelect && e_.width(term) == 64) choice = term;
  return choice;
}

// A choice of addresses becomes one site per choice, each under its condition: ranges of the two
// are then judged apart.
void SymbolicThread::push_site(AccessSite site, u32 splits_left) {
  if (site.generic && is_in_window(site.address)) return;
  if (splits_left > 0) {
    if (const ExprId choice = choice_in(site.address); choice != kNoExpr) {
      const ExprId condition = e_.operands(choice)[0];
      for (const bool value : {true, false}) {
        AccessSite part = site;
        part.address = e_.substitute(site.address, condition, flag(value));
        part.conditions.push_back(value ? condition : e_.bit_not(condition));
        push_site(std::move(part), splits_left - 1);
      }
      return;
    }
  }
  // Bounded unless a whole pointer, or its upper half, is not known.
  std::vector<ExprId> work = {site.address};
  while (!work.empty()) {
    const ExprId at = work.back();
    work.pop_back();
    const ExprNode& n = e_.node(at);
    if (n.kind == ExprKind::kOpaque && e_.significant_bits(at) > 32) site.bounded = false;
    if (n.kind == ExprKind::kSum && n.width == 64) {
      for (u32 i = 0; i < n.operand_count; ++i) {
        const ExprId term = e_.operands(at)[i];
        const u32 shift = static_cast<u32>(__builtin_ctzll(e_.coefficients(at)[i]));
        if (shift + e_.significant_bits(term) > 52) {
          const ExprId inner = e_.node(term).kind == ExprKind::kZeroExtend ||
                                       e_.node(term).kind == ExprKind::kSignExtend
                                   ? e_.operands(term)[0]
                                   : term;
          if (e_.node(inner).kind == ExprKind::kOpaque) site.bounded = false;
        }
        work.push_back(term);
      }
    } else if (n.kind == ExprKind::kSelect) {
      work.push_back(e_.operands(at)[1]);
      work.push_back(e_.operands(at)[2]);
    }
  }
  summary_.sites.push_back(std::move(site));
}

bool SymbolicThread::is_system_scope(const Instruction& in) {
  return in.has(Field::kScope, Value::kSYS) || in.has(Field::kSemantics, Value::kMMIO);
}

void SymbolicThread::taint_memory(Space space, bool nondeterministic) {
  if (!nondeterministic) return;
  if (space == Space::kShared || space == Space::kGeneric) facts_.raise(facts_.shared);
  if (space == Space::kLocal || space == Space::kGeneric) facts_.raise(facts_.local);
}

// An address counted from the generic window of shared or local memory lies in that memory: what
// lies outside is undefined. Newer code knows the upper half of the window alone, and puts an
// offset into the lower half.
bool SymbolicThread::is_in_window(ExprId address) const {
  const auto is_window = [&](ExprId id) { return id == shared_window_ || id == local_window_; };
  const auto is_upper_half = [&](ExprId id) {
    if (e_.node(id).kind == ExprKind::kZeroExtend) id = e_.operands(id)[0];
    const auto& node = e_.node(id);
    return node.kind == ExprKind::kExtract && node.payload == 32 && node.width == 32 &&
           is_window(e_.operands(id)[0]);
  };
  if (is_window(address)) return true;
  if (e_.node(address).kind != ExprKind::kSum) return false;
  for (u32 i = 0; i < e_.node(address).operand_count; ++i) {
    const ExprId term = e_.operands(address)[i];
    const u64 times = e_.coefficients(address)[i];
    if (times == 1 ? is_window(term) : times == u64{1} << 32 && is_upper_half(term)) return true;
  }
  return false;
}

// Whether the choices that make up a generic address, or those of its arms that may be global, are
// not determined.
bool SymbolicThread::is_undetermined_outside_windows(ExprId address, u32 splits_left) {
  if (!e_.node(address).nondeterministic || is_in_window(address)) return false;
  const ExprId choice = choice_in(address);
  if (choice == kNoExpr || splits_left == 0) return true;
  const ExprId condition = e_.operands(choice)[0];
  if (e_.node(condition).nondeterministic) return true;
  return is_undetermined_outside_windows(e_.substitute(address, condition, flag(true)),
                                         splits_left - 1) ||
         is_undetermined_outside_windows(e_.substitute(address, condition, flag(false)),
                                         splits_left - 1);
}

void SymbolicThread::check_write_determinate(const MemoryReference<SymbolicThread>& ref) {
  const bool bad = (ref.space == Space::kGeneric
                        ? is_undetermined_outside_windows(refined(ref.address), kMaxSelectSplits)
                        : e_.node(ref.address).nondeterministic) ||
                   e_.node(guard).nondeterministic || control_nondeterministic ||
                   (ref.enabled && e_.node(*ref.enabled).nondeterministic);
  if (bad) find(Reason::kIndeterminateWrites, "");
  if (ref.instruction != nullptr && is_system_scope(*ref.instruction))
    find(Reason::kSystemScope, "");
}

void SymbolicThread::discard(const MemoryReference<SymbolicThread>& line) {
  check_write_determinate(line);
  record_site(AccessKind::kWrite, line.address, line.bytes, false, false);
  state.own_writes.clear();  // what this thread wrote before may be gone
}

Words<SymbolicThread> SymbolicThread::load(const MemoryReference<SymbolicThread>& ref) {
  Words<SymbolicThread> words;
  words.fill(word(0));
  const u32 count = (ref.bytes + 3) / 4;
  const u64 largest = ref.bytes >= 4 ? 0xffffffffu : (u64{1} << (8 * ref.bytes)) - 1;
  // Where it is switched off, a load gives zero.
  const bool nondeterministic_address =
      is_undetermined_place(ref) || (ref.enabled && e_.node(*ref.enabled).nondeterministic);
  switch (ref.space) {
    case Space::kGlobal:
    case Space::kGeneric: {
      const bool non_coherent = ref.instruction == nullptr || ref.asynchronous ||
                                ref.instruction->has(Field::kSemantics, Value::kCONSTANT);
      bool shielded = false;
      if (!non_coherent)
        for (const OwnWrite& write : state.own_writes)
          shielded |= write.address == ref.address && write.bytes >= ref.bytes;
      record_site(AccessKind::kRead, ref.address, ref.bytes, ref.space == Space::kGeneric,
                  shielded);
      const bool nondeterministic =
          nondeterministic_address || shielded ||
          (ref.space == Space::kGeneric && (facts_.shared || facts_.local));
      for (u32 i = 0; i < count; ++i)
        words[i] = opaque(32, OpaqueCause::kGlobalLoad, nondeterministic, true, largest);
      break;
    }
    case Space::kShared:
      for (u32 i = 0; i < count; ++i)
        words[i] = opaque(32, OpaqueCause::kSharedLoad, nondeterministic_address || facts_.shared,
                          true, largest);
      break;
    case Space::kLocal: {
      const std::optional<i64> at = local_offset(ref.address);
      for (u32 i = 0; i < count; ++i) {
        if (at && *at % 4 == 0 && ref.bytes >= 4) {
          const auto it = state.local.find(*at + i64{4} * i);
          if (it != state.local.end()) {
            words[i] = it->second;
            continue;
          }
        }
        words[i] = opaque(32, OpaqueCause::kLocalLoad, facts_.local || nondeterministic_address,
                          true, largest);
      }
      break;
    }
  }
  return words;
}

void SymbolicThread::store(const MemoryReference<SymbolicThread>& ref,
                           const Words<SymbolicThread>& data) {
  const u32 count = (ref.bytes + 3) / 4;
  bool nondeterministic = control_nondeterministic || e_.node(guard).nondeterministic;
  for (u32 i = 0; i < count; ++i) nondeterministic |= e_.node(data[i]).nondeterministic;
  const std::optional<i64> local =
      ref.space == Space::kLocal ? local_offset(ref.address) : std::nullopt;
  if (!local) nondeterministic |= is_undetermined_place(ref);
  switch (ref.space) {
    case Space::kGlobal:
    case Space::kGeneric:
      check_write_determinate(ref);
      record_site(AccessKind::kWrite, ref.address, ref.bytes, ref.space == Space::kGeneric, false);
      if (ref.space == Space::kGeneric) {
        taint_memory(Space::kGeneric, nondeterministic);
        state.local.clear();
      } else if (e_.is_true(guard) && !ref.asynchronous) {
        const OwnWrite write{ref.address, ref.bytes};
        const auto at = std::lower_bound(state.own_writes.begin(), state.own_writes.end(), write);
        if (at == state.own_writes.end() || *at != write) state.own_writes.insert(at, write);
      }
      break;
    case Space::kShared:
      taint_memory(Space::kShared, nondeterministic);
      break;
    case Space::kLocal:
      taint_memory(Space::kLocal, nondeterministic);
      if (!local) {
        state.local.clear();
        break;
      }
      for (i64 byte = *local & ~i64{3}; byte < *local + ref.bytes; byte += 4) {
        const bool whole = *local % 4 == 0 && ref.bytes >= 4;
        if (!whole) {
          state.local.erase(byte);
          continue;
        }
        const u32 i = static_cast<u32>((byte - *local) / 4);
        if (e_.is_true(guard)) {
          state.local[byte] = data[i];
        } else if (const auto it = state.local.find(byte); it != state.local.end()) {
          it->second = e_.select(guard, data[i], it->second);
        }
      }
      break;
  }
}

void SymbolicThread::atomic(const Instruction& in, const MemoryReference<SymbolicThread>& ref,
                            const Words<SymbolicThread>&, const Words<SymbolicThread>&) {
  if (ref.space != Space::kShared) {
    check_write_determinate(ref);

    record_site(AccessKind::kReadWrite, ref.address, ref.bytes, ref.space == Space::kGeneric,
                false);
  }
  if (ref.space != Space::kGlobal) {
    facts_.raise(facts_.shared);
    if (ref.space == Space::kGeneric) {
      facts_.raise(facts_.local);
      state.local.clear();
    }
  }
  sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
    if (file == sass::RegisterFile::kGeneral)
      set_reg(n, opaque(32, OpaqueCause::kAtomicResult, true, true));
    else if (file == sass::RegisterFile::kPredicate)
      set_pred(n, opaque(1, OpaqueCause::kAtomicResult, true, true));
  });
}

// ---- Escapes -------------------------------------------------------------------------------

void SymbolicThread::warp_value(const Instruction& in) {
  const Marks marks = marks_of_uses(in);
  // A shuffle names its lanes and its callers wait for them; votes, matches and reductions see
  // whoever is there.
  const bool depends_on_company = in.opcode != Opcode::kSHFL;
  const bool nondeterministic = marks.nondeterministic || control_nondeterministic ||
                                (depends_on_company && !state.never_split);
  sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
    const u8 width =
        file == sass::RegisterFile::kPredicate || file == sass::RegisterFile::kUniformPredicate
            ? 1
            : 32;
    const ExprId x = opaque(width, OpaqueCause::kWarpValue, nondeterministic, marks.from_memory);
    switch (file) {
      case sass::RegisterFile::kGeneral:
        set_reg(n, x);
        break;
      case sass::RegisterFile::kUniform:
        write_slot(kUniformBase + n, x, 32);
        break;
      case sass::RegisterFile::kPredicate:
        set_pred(n, x);
        break;
      case sass::RegisterFile::kUniformPredicate:
        write_slot(kUniformPredicateBase + n, x, 1);
        break;
      case sass::RegisterFile::kBarrier:
        break;
    }
  });
}

void SymbolicThread::unmodelled(const Instruction& in) {
  Marks marks = marks_of_uses(in);
  // Where code lies is the driver's choice.
  marks.nondeterministic |= in.opcode == Opcode::kLEPC;
  sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
    switch (file) {
      case sass::RegisterFile::kGeneral:
        set_reg(n, opaque(32, OpaqueCause::kArithmetic, marks.nondeterministic, marks.from_memory));
        break;
      case sass::RegisterFile::kUniform:
        set_ureg(n,
                 opaque(32, OpaqueCause::kArithmetic, marks.nondeterministic, marks.from_memory));
        break;
      case sass::RegisterFile::kPredicate:
        set_pred(n, opaque(1, OpaqueCause::kArithmetic, marks.nondeterministic, marks.from_memory));
        break;
      case sass::RegisterFile::kUniformPredicate:
        set_upred(n,
                  opaque(1, OpaqueCause::kArithmetic, marks.nondeterministic, marks.from_memory));
        break;
      case sass::RegisterFile::kBarrier:
        break;
    }
  });
}

void SymbolicThread::unmodelled_flag(const Instruction& in, const Operand& operand) {
  const Marks marks = marks_of_uses(in);
  const ExprId x = opaque(1, OpaqueCause::kArithmetic, marks.nondeterministic, marks.from_memory);
  if (operand.kind == OperandKind::kUniformPredicate)
    set_upred(operand.reg, x);
  else
    set_pred(operand.reg, x);
}

void SymbolicThread::prefetch_flag(const Operand& operand) {
  set_pred(operand.reg, opaque(1, OpaqueCause::kClock, true, true));
}

void SymbolicThread::load_matrix(const Instruction& in) {
  const Marks marks = marks_of_uses(in);
  sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
    if (file == sass::RegisterFile::kGeneral)
      set_reg(n, opaque(32, OpaqueCause::kSharedLoad,
                        marks.nondeterministic || control_nondeterministic || facts_.shared, true));
  });
}

void SymbolicThread::block_barrier(const Instruction& in) {
  const Marks marks = marks_of_uses(in);
  if (marks.nondeterministic || control_nondeterministic || e_.node(guard).nondeterministic)
    facts_.raise(facts_.reduction);
  sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
    if (file == sass::RegisterFile::kGeneral)
      set_reg(n, opaque(32, OpaqueCause::kWarpValue, facts_.reduction, true));
    else if (file == sass::RegisterFile::kPredicate)
      set_pred(n, opaque(1, OpaqueCause::kWarpValue, facts_.reduction, true));
  });
}

void SymbolicThread::unmodelled_memory(const Instruction& in) {
  find(Reason::kAddressForm, std::string(sass::to_string(in.opcode)));
  unmodelled(in);
}

}  // namespace picker::analysis
