#include "validate/thread_walk.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "container/constant_bank.hpp"
#include "sass/decoder.hpp"
#include "sass/registers.hpp"
#include "sass/special_registers.hpp"
#include "semantics/execute.hpp"
#include "validate/known_word.hpp"

namespace picker::validate {

using container::DriverConstant;
using sass::Instruction;
using sass::Opcode;
using sass::Operand;
using sass::Role;
using semantics::Class;
using semantics::Control;
using semantics::ControlKind;
using semantics::Space;

namespace {
constexpr u64 kMaxSteps = 12'000'000;  // instructions, all walks of one launch together
constexpr u64 kMaxStepsPerThread = 400'000;
constexpr u32 kStackPointer = 0x00fffde0;            // any multiple of 32: only differences matter
constexpr u64 kDescriptor = 0xd15c'0000'0000'd15cu;  // stands for the descriptor of global memory
}  // namespace

struct ThreadWalk::Walker {
  using Word = Known<u32>;
  using Wide = Known<u64>;
  using Flag = Known<bool>;

  Walker(ThreadWalk& owner, const std::array<u32, 3>& block_index,
         const std::array<u32, 3>& thread_index)
      : o(owner),
        layout(container::constant_bank_layout(owner.kernel_.sm)),
        block(block_index),
        thread(thread_index) {
    regs.fill({});
    uregs.fill({});
    preds.fill({});
    upreds.fill({});
  }

  // ---- literals and arithmetic ----
  static Word word(u32 x) { return {x, true}; }
  static Wide wide(u64 x) { return {x, true}; }
  static Flag flag(bool x) { return {x, true}; }
  Word immediate(u32 x) const {
    for (const container::ResolvedRelocation& r : o.kernel_.relocations)
      if (r.offset == pc) return {};
    return word(x);
  }
  template <typename T>
  static Known<T> add(Known<T> a, Known<T> b) {
    return lift<T>(a, b, [](T x, T y) { return static_cast<T>(x + y); });
  }
  template <typename T>
  static Known<T> sub(Known<T> a, Known<T> b) {
    return lift<T>(a, b, [](T x, T y) { return static_cast<T>(x - y); });
  }
  template <typename T>
  static Known<T> mul(Known<T> a, Known<T> b) {
    if ((a.known && a.value == 0) || (b.known && b.value == 0)) return {T{0}, true};
    return lift<T>(a, b, [](T x, T y) { return static_cast<T>(x * y); });
  }
  template <typename T>
  static Known<T> bit_and(Known<T> a, Known<T> b) {
    if ((a.known && a.value == 0) || (b.known && b.value == 0)) return {T{0}, true};
    return lift<T>(a, b, [](T x, T y) { return x & y; });
  }
  template <typename T>
  static Known<T> bit_or(Known<T> a, Known<T> b) {
    return lift<T>(a, b, [](T x, T y) { return x | y; });
  }
  template <typename T>
  static Known<T> bit_xor(Known<T> a, Known<T> b) {
    return lift<T>(a, b, [](T x, T y) { return x ^ y; });
  }
  template <typename T>
  static Known<T> bit_not(Known<T> a) {
    return lift<T>(a, [](T x) { return static_cast<T>(~x); });
  }
  template <typename T>
  static Known<T> shift_left(Known<T> a, Word n) {
    return lift<T>(a, n, [](T x, u32 k) { return k >= 8 * sizeof(T) ? T{0} : x << k; });
  }
  template <typename T>
  static Known<T> shift_right(Known<T> a, Word n) {
    return lift<T>(a, n, [](T x, u32 k) { return k >= 8 * sizeof(T) ? T{0} : x >> k; });
  }
  template <typename T>
  static Known<T> shift_right_signed(Known<T> a, Word n) {
    using S = std::make_signed_t<T>;
    return lift<T>(a, n, [](T x, u32 k) {
      const u32 most = 8 * sizeof(T) - 1;
      return static_cast<T>(static_cast<S>(x) >> (k > most ? most : k));
    });
  }
  template <typename T>
  static Flag equal(Known<T> a, Known<T> b) {
    return lift<bool>(a, b, [](T x, T y) { return x == y; });
  }
  template <typename T>
  static Flag less_unsigned(Known<T> a, Known<T> b) {
    if (b.known && b.value == 0) return flag(false);
    return lift<bool>(a, b, [](T x, T y) { return x < y; });
  }
  template <typename T>
  static Flag less_signed(Known<T> a, Known<T> b) {
    using S = std::make_signed_t<T>;
    return lift<bool>(a, b, [](T x, T y) { return static_cast<S>(x) < static_cast<S>(y); });
  }
  template <typename T>
  static Known<T> select(Flag c, Known<T> a, Known<T> b) {
    if (!c.known) return a.known && b.known && a.value == b.value ? a : Known<T>{};
    return c.value ? a : b;
  }
  static Word minimum(bool is_signed, Word a, Word b) {
    return select(is_signed ? less_signed(a, b) : less_unsigned(a, b), a, b);
  }
  static Word maximum(bool is_signed, Word a, Word b) {
    return select(is_signed ? less_signed(a, b) : less_unsigned(a, b), b, a);
  }
  template <typename T>
  static Flag carry(Known<T> a, Known<T> b, Flag in) {
    if (!a.known || !b.known || !in.known) return {};
    return flag(((static_cast<u128>(a.value) + b.value + (in.value ? 1 : 0)) >> (8 * sizeof(T))) !=
                0);
  }
  static Flag flag_and(Flag a, Flag b) {
    if ((a.known && !a.value) || (b.known && !b.value)) return flag(false);
    return lift<bool>(a, b, [](bool x, bool y) { return x && y; });
  }
  static Flag flag_or(Flag a, Flag b) {
    if ((a.known && a.value) || (b.known && b.value)) return flag(true);
    return lift<bool>(a, b, [](bool x, bool y) { return x || y; });
  }
  static Flag flag_xor(Flag a, Flag b) {
    return lift<bool>(a, b, [](bool x, bool y) { return x != y; });
  }
  static Flag flag_not(Flag a) {
    return lift<bool>(a, [](bool x) { return !x; });
  }
  static Wide widen_unsigned(Word a) {
    return lift<u64>(a, [](u32 x) { return u64{x}; });
  }
  static Wide widen_signed(Word a) {
    return lift<u64>(a, [](u32 x) { return static_cast<u64>(i64{static_cast<i32>(x)}); });
  }
  static Word low(Wide a) {
    return lift<u32>(a, [](u64 x) { return static_cast<u32>(x); });
  }
  static Word high(Wide a) {
    return lift<u32>(a, [](u64 x) { return static_cast<u32>(x >> 32); });
  }
  static Wide join(Word h, Word l) {
    return lift<u64>(h, l, [](u32 x, u32 y) { return (u64{x} << 32) | y; });
  }
  static Word field(Word a, u32 at, u32 bits) {
    return lift<u32>(
        a, [=](u32 x) { return bits >= 32 ? x >> at : (x >> at) & ((u32{1} << bits) - 1); });
  }
  static Word field_signed(Word a, u32 at, u32 bits) {
    return lift<u32>(a, [=](u32 x) {
      return static_cast<u32>(static_cast<i32>(x << (32 - bits - at)) >> (32 - bits));
    });
  }
  static Flag bit(Word a, u32 n) {
    return lift<bool>(a, [=](u32 x) { return ((x >> n) & 1) != 0; });
  }
  static Word from_flag(Flag a) {
    return lift<u32>(a, [](bool x) { return x ? 1u : 0u; });
  }
  static Word population_count(Word a) {
    return lift<u32>(a, [](u32 x) { return static_cast<u32>(__builtin_popcount(x)); });
  }
  static Word reverse_bits(Word a) {
    return lift<u32>(a, [](u32 x) {
      u32 out = 0;
      for (u32 i = 0; i < 32; ++i) out |= ((x >> i) & 1) << (31 - i);
      return out;
    });
  }
  static std::optional<u32> known(Word a) {
    return a.known ? std::optional<u32>(a.value) : std::nullopt;
  }
  std::optional<Flag> compare_extended(sass::Value relation, bool is_signed, Word a, Word b,
                                       Flag low_flag) {
    return semantics::compare_high_word(*this, relation, is_signed, a, b, low_flag);
  }

  // ---- state ----
  Word reg(u8 n) const { return n == sass::kRZ ? word(0) : regs[n]; }
  Word ureg(u8 n) const { return n == sass::kURZ ? word(0) : uregs[n]; }
  Flag pred(u8 n) const { return n >= sass::kPT ? flag(true) : preds[n]; }
  Flag upred(u8 n) const { return n >= sass::kPT ? flag(true) : upreds[n]; }
  void set_reg(u8 n, Word x) {
    if (n != sass::kRZ) regs[n] = select(guard, x, regs[n]);
  }
  void set_ureg(u8 n, Word x) {
    if (n != sass::kURZ) uregs[n] = select(guard, x, uregs[n]);
  }
  void set_pred(u8 n, Flag x) {
    if (n < sass::kPT) preds[n] = select(guard, x, preds[n]);
  }
  void set_upred(u8 n, Flag x) {
    if (n < sass::kPT) upreds[n] = select(guard, x, upreds[n]);
  }

  // ---- constants ----
  Word bank0(u32 offset, u32 bytes) const {
    if (const auto value = o.launch_.constant_bank.read(offset, bytes))
      return word(static_cast<u32>(*value));
    if (layout != nullptr && bytes == 4)
      if (const auto* slot = layout->find(offset, 4); slot != nullptr) {
        if (slot->constant == DriverConstant::kStackPointer) return word(kStackPointer);
        if (slot->constant == DriverConstant::kGlobalDescriptor)
          return word(static_cast<u32>(kDescriptor >> (8 * (offset - slot->offset))));
      }
    return {};
  }
  Word constant_word(u8 bank, Word offset) const { return constant_at(bank, offset, 4); }
  Wide constant_wide(u8 bank, Word offset) const {
    return join(constant_at(bank, add(offset, word(4)), 4), constant_at(bank, offset, 4));
  }
  Word constant_bytes(const Instruction&, u8 bank, Word offset, u32 bytes) const {
    return constant_at(bank, offset, bytes);
  }
  Word constant_at(u8 bank, Word offset, u32 bytes) const {
    if (!offset.known) return {};
    if (bank == 0) return bank0(offset.value, bytes);
    if (bank == 2 && o.kernel_.constant2_relocations.empty()) {
      const auto part = o.kernel_.constant2.sub(offset.value, bytes);
      if (!part) return {};
      u32 value = 0;
      for (u32 i = 0; i < bytes; ++i) value |= static_cast<u32>(part->data()[i]) << (8 * i);
      return word(value);
    }
    if (bank == 4 && bytes == 4 && offset.value % 4 == 0)
      if (const auto entry = o.cubin_.constant4_entry(offset.value & ~7u))
        for (u32 i = 0; i < o.summary_.symbols.size(); ++i)
          if (o.summary_.symbols[i].name == entry->symbol_name &&
              !o.summary_.symbols[i].constant_bank)
            if (const auto at = o.launch_.symbol(i)) {
              const u64 address = *at + static_cast<u64>(entry->addend);
              return word(static_cast<u32>(offset.value % 8 == 4 ? address >> 32 : address));
            }
    return {};
  }
  bool is_global_descriptor(u8 n) const {
    const Word l = ureg(n), h = ureg(static_cast<u8>(n + 1));
    return l.known && h.known && l.value == static_cast<u32>(kDescriptor) &&
           h.value == static_cast<u32>(kDescriptor >> 32);
  }
  Word special_register(const Instruction&, u32 number, u32 index) const {
    using sass::SpecialRegister;
    if (number == static_cast<u32>(SpecialRegister::kZero)) return word(0);
    if (index != 0) return {};
    switch (static_cast<SpecialRegister>(number)) {
      case SpecialRegister::kThreadIdX:
        return word(thread[0]);
      case SpecialRegister::kThreadIdY:
        return word(thread[1]);
      case SpecialRegister::kThreadIdZ:
        return word(thread[2]);
      case SpecialRegister::kBlockIdX:
        return word(block[0]);
      case SpecialRegister::kBlockIdY:
        return word(block[1]);
      case SpecialRegister::kBlockIdZ:
        return word(block[2]);
      case SpecialRegister::kClusterBlock:
        return o.launch_.cluster == std::array<u32, 3>{1, 1, 1} ? word(0) : Word{};
      case SpecialRegister::kLaneId: {
        const auto& n = o.launch_.block;
        return word((thread[0] + n[0] * (thread[1] + n[1] * thread[2])) % 32);
      }
      default:
        return {};
    }
  }
  // A lane-varying value of an unnamed lane: known only if this is the only thread of its warp.
  Word any_lane(const Instruction&, Word x) const {
    const auto& n = o.launch_.block;
    return u64{n[0]} * n[1] * n[2] == 1 ? x : Word{};
  }

  // ---- memory ----
  using Reference = semantics::MemoryReference<Walker>;
  using Data = semantics::Words<Walker>;

  void record(const Reference& ref, bool read, bool write) {
    if (ref.space != Space::kGlobal && ref.space != Space::kGeneric) return;
    Event event;
    event.code_offset = pc;
    event.address = ref.address.value;
    event.bytes = ref.bytes;
    // A generic address might be shared or local memory; an access that may be switched off may
    // not happen. Neither is certain, but a write that may happen may shield.
    const bool certain = ref.space == Space::kGlobal && guard.known &&
                         (!ref.enabled || (ref.enabled->known && ref.enabled->value));
    event.known_address = ref.address.known && certain && guard.known;
    event.address_is_value = ref.address.known;
    event.may_shield = event.known_address && write && !read && !ref.asynchronous;
    event.asynchronous = ref.asynchronous;
    // An atomic reads before it writes: an earlier store of the thread may shield that.
    event.shieldable = read && !ref.asynchronous && ref.instruction != nullptr &&
                       !ref.instruction->has(sass::Field::kSemantics, sass::Value::kCONSTANT);
    // Unknown guards and addresses make the thread's footprint unknown.
    if (!ref.address.known || !guard.known || (ref.enabled && !ref.enabled->known))
      incomplete = true;
    if (ref.enabled && ref.enabled->known && !ref.enabled->value) return;
    event.read = read;
    event.write = write;
    event.barriers_before = passed_barrier;
    event.epoch = epochs;
    if (events.size() >= kMaxEvents)
      stopped = true;
    else
      events.push_back(event);
  }
  Data load(const Reference& ref) {
    record(ref, true, false);
    Data words;
    words.fill({});
    if (ref.space == Space::kLocal && ref.address.known && ref.address.value % 4 == 0)
      for (u32 i = 0; i < (ref.bytes + 3) / 4; ++i)
        if (const auto it = local.find(ref.address.value + u64{4} * i);
            it != local.end() && ref.bytes >= 4)
          words[i] = it->second;
    return words;
  }
  void store(const Reference& ref, const Data& data) {
    record(ref, false, true);
    if (ref.space == Space::kGeneric) local.clear();
    if (ref.space != Space::kLocal) return;
    if (!ref.address.known || !guard.known) {
      local.clear();
      return;
    }
    for (u64 at = ref.address.value & ~u64{3}; at < ref.address.value + ref.bytes; at += 4)
      local.erase(at);
    if (ref.bytes >= 4 && ref.address.value % 4 == 0)
      for (u32 i = 0; i < ref.bytes / 4; ++i) local[ref.address.value + u64{4} * i] = data[i];
  }
  void atomic(const Instruction& in, const Reference& ref, const Data&, const Data&) {
    record(ref, true, true);
    if (ref.space == Space::kGeneric) local.clear();
    lose_results(in);
  }
  void warp_value(const Instruction& in) { lose_results(in); }
  void unmodelled(const Instruction& in) { lose_results(in); }
  void unmodelled_flag(const Instruction&, const Operand& operand) {
    if (operand.kind == sass::OperandKind::kUniformPredicate)
      set_upred(operand.reg, {});
    else
      set_pred(operand.reg, {});
  }
  void unmodelled_memory(const Instruction&) { stopped = true; }
  void prefetch_flag(const Operand& operand) { set_pred(operand.reg, {}); }
  void load_matrix(const Instruction& in) { lose_results(in); }
  static constexpr u32 kMaxEvents = 1u << 20;
  void lose_results(const Instruction& in) {
    sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
      switch (file) {
        case sass::RegisterFile::kGeneral:
          set_reg(n, {});
          break;
        case sass::RegisterFile::kUniform:
          set_ureg(n, {});
          break;
        case sass::RegisterFile::kPredicate:
          set_pred(n, {});
          break;
        case sass::RegisterFile::kUniformPredicate:
          set_upred(n, {});
          break;
        case sass::RegisterFile::kBarrier:
          break;
      }
    });
  }

  // ---- control ----
  void run(u64& steps_left) {
    pc = o.kernel_.entry_offset;
    for (u64 steps = 0; !stopped && steps < kMaxStepsPerThread && steps_left > 0; ++steps) {
      --steps_left;
      if (pc % sass::kInstructionBytes != 0 ||
          u64{pc} + sass::kInstructionBytes > o.kernel_.code.size())
        return;
      const Instruction& in = o.decoded_[pc / sass::kInstructionBytes];
      if (!in.known()) return;
      lose_uncertain();
      guard = in.guard_uniform ? upred(in.guard) : pred(in.guard);
      if (in.guard_negated) guard = flag_not(guard);
      u32 next = pc + sass::kInstructionBytes;
      if (!guard.known || guard.value) {
        o.executed_[pc / sass::kInstructionBytes] = 1;
        switch (semantics::class_of(in)) {
          case Class::kData:
          case Class::kMemory:
            semantics::execute(*this, in);
            break;
          case Class::kControl:
            if (!transfer(in, next)) return;
            break;
          case Class::kNothing:
            break;
          case Class::kBlockBarrier:
            passed_barrier = o.passed_barriers_ = true;
            if (is_whole_barrier(in))
              ++epochs;
            else if (in.opcode != Opcode::kB2R)
              only_whole_barriers = false;
            lose_results(in);
            break;
          case Class::kEffect:
            if (!semantics::is_cluster_barrier(in.opcode)) return;
            passed_barrier = o.passed_barriers_ = true;
            break;
        }
      }
      lose_uncertain();
      pc = next;
    }
  }

  // Whether the thread surely waits here for all threads of its block, at barrier 0.
  bool is_whole_barrier(const Instruction& in) const {
    using sass::Field, sass::Value;
    const Operand *id = in.find(Role::kBarrier), *count = in.find(Role::kAux);
    const auto is_zero = [](const Operand* operand) {
      return operand->kind == sass::OperandKind::kBits && operand->value == 0;
    };
    return in.opcode == Opcode::kBAR && guard.known && (count == nullptr || is_zero(count)) &&
           (in.has(Field::kBarMode, Value::kSYNC) || in.has(Field::kBarMode, Value::kRED)) &&
           id != nullptr && is_zero(id);
  }

  // Uniform registers that other parts of the warp may write hereabouts.
  void lose_uncertain() {
    const auto& all = o.summary_.uncertain_uniforms;
    auto it = std::lower_bound(all.begin(), all.end(), analysis::UncertainUniform{pc, 0, false});
    for (; it != all.end() && it->code_offset == pc; ++it) {
      if (it->predicate)
        upreds[it->number] = {};
      else
        uregs[it->number] = {};
    }
  }

  // Sets `next`; false where the walk ends.
  bool transfer(const Instruction& in, u32& next) {
    const Control control = semantics::control_of(in);
    const Flag taken = flag_and(guard, semantics::read_flag(*this, control.condition));
    switch (control.kind) {
      case ControlKind::kNext:
      case ControlKind::kBarrierSet:
      case ControlKind::kBarrierBreak:
      case ControlKind::kBarrierSync:
        return true;
      default:
        break;
    }
    if (!taken.known) return detour(next);
    if (!taken.value) return true;
    switch (control.kind) {
      case ControlKind::kExit:
        ended = true;
        return false;
      case ControlKind::kIndirectBranch:
        return indirect(in, next) || detour(next);
      case ControlKind::kCall: {
        const u32 callee = o.context_of_call(context, next, static_cast<u32>(control.target));
        if (callee != analysis::kNone) context = callee;
        next = static_cast<u32>(control.target);
        return true;
      }
      case ControlKind::kBranch:
        next = static_cast<u32>(control.target);
        return true;
      case ControlKind::kReturn: {
        const Operand* a = in.find(Role::kA);
        if (a == nullptr || !in.has(sass::Field::kCallMode, sass::Value::kREL)) return false;
        const Wide to = add(semantics::read_wide(*this, *a), wide(control.target));
        if (!to.known || o.flow_.contexts[context].parent == analysis::kNone ||
            to.value != o.flow_.contexts[context].return_offset)
          return false;
        next = static_cast<u32>(to.value);
        context = o.flow_.contexts[context].parent;
        return true;
      }
      default:
        return false;
    }
  }

  // A branch on something unknown whose sides meet again and only compute data in between (the
  // slow path of a division, say): goes on where they meet, with everything they write unknown.
  bool detour(u32& next) {
    const u32 fork = o.block_ending_at(context, pc);
    if (fork == analysis::kNone) return false;
    const u32 meet = o.flow_.blocks[fork].immediate_postdominator;
    if (meet == analysis::kNone) return false;
    std::vector<u32> work;
    for (const analysis::Edge& edge : o.flow_.blocks[fork].successors) work.push_back(edge.block);
    std::set<u32> seen = {meet};
    std::vector<u32> region;
    while (!work.empty()) {
      const u32 at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      region.push_back(at);
      for (const analysis::Edge& edge : o.flow_.blocks[at].successors) work.push_back(edge.block);
    }
    for (const u32 at : region) {
      const analysis::Block& b = o.flow_.blocks[at];
      for (u32 offset = b.begin; offset < b.end; offset += sass::kInstructionBytes)
        if (!only_computes(o.decoded_[offset / sass::kInstructionBytes])) return false;
    }
    guard = flag(true);
    for (const u32 at : region) {
      const analysis::Block& b = o.flow_.blocks[at];
      for (u32 offset = b.begin; offset < b.end; offset += sass::kInstructionBytes) {
        const Instruction& in = o.decoded_[offset / sass::kInstructionBytes];
        o.executed_[offset / sass::kInstructionBytes] = 1;
        lose_results(in);
        if (in.opcode == Opcode::kSTL) local.clear();
        if (in.opcode == Opcode::kR2P) preds.fill({});
      }
    }
    next = o.flow_.blocks[meet].begin;
    context = o.flow_.blocks[meet].context;
    return true;
  }

  static bool only_computes(const Instruction& in) {
    if (!in.known()) return false;
    switch (semantics::class_of(in)) {
      case Class::kData:
      case Class::kNothing:
        return true;
      case Class::kMemory:
        return in.opcode == Opcode::kLDS || in.opcode == Opcode::kSTS ||
               in.opcode == Opcode::kLDL || in.opcode == Opcode::kSTL;
      case Class::kControl:
        switch (semantics::control_of(in).kind) {
          case ControlKind::kBranch:
          case ControlKind::kCall:
          case ControlKind::kReturn:
          case ControlKind::kBarrierSet:
          case ControlKind::kBarrierSync:
          case ControlKind::kBarrierBreak:
          case ControlKind::kIndirectBranch:
            return true;
          default:
            return false;
        }
      default:
        return false;
    }
  }

  // BRX: the target is the next instruction plus the immediate plus the register.
  bool indirect(const Instruction& in, u32& next) {
    const Operand* a = in.find(Role::kA);
    const Operand* base = in.find(Role::kTarget);
    if (a == nullptr || base == nullptr) return false;
    const Wide to = add(semantics::read_wide(*this, *a),
                        wide(pc + sass::kInstructionBytes + static_cast<u64>(base->value)));
    if (!to.known) return false;
    // Only what the compiler listed for this branch: anything else is a misreading.
    for (const container::IndirectBranch& table : o.kernel_.indirect_branches)
      if (table.branch_offset == pc)
        for (const u32 target : table.targets)
          if (target == to.value) {
            next = target;
            return true;
          }
    return false;
  }

  ThreadWalk& o;
  const container::ConstantBankLayout* layout;
  std::array<u32, 3> block, thread;
  std::array<Word, 256> regs;
  std::array<Word, 256> uregs;
  std::array<Flag, 8> preds, upreds;
  std::unordered_map<u64, Word> local;
  Flag guard = {true, true};
  u32 pc = 0;
  u32 context = 0;  // of the control-flow graph: the calls that led here
  bool stopped = false;
  bool incomplete = false;
  bool ended = false;
  bool passed_barrier = false;
  u32 epochs = 0;
  bool only_whole_barriers = true;
  std::vector<Event> events;
};

ThreadWalk::ThreadWalk(const container::Cubin& cubin, const container::Kernel& kernel,
                       const analysis::Summary& summary, const Launch& launch)
    : cubin_(cubin), kernel_(kernel), summary_(summary), launch_(launch), steps_left_(kMaxSteps) {
  const u64 count = kernel.code.size() / sass::kInstructionBytes;
  executed_.assign(count + 1, 0);
  decoded_.resize(count);
  if (const auto family = sass::family_of(kernel.sm)) {
    const sass::Decoder decoder(*family);
    for (u64 i = 0; i < count; ++i)
      decoded_[i] = decoder.decode(kernel.code.data() + i * sass::kInstructionBytes,
                                   i * sass::kInstructionBytes);
    flow_ = analysis::build_control_flow(kernel, decoder);
    if (!flow_.unusable)
      for (u32 b = 0; b < flow_.blocks.size(); ++b)
        block_ends_.emplace(
            std::make_pair(flow_.blocks[b].context,
                           static_cast<u32>(flow_.blocks[b].end - sass::kInstructionBytes)),
            b);
  }
}

ThreadWalk::~ThreadWalk() = default;

u32 ThreadWalk::block_ending_at(u32 context, u32 offset) const {
  const auto it = block_ends_.find({context, offset});
  return it == block_ends_.end() ? analysis::kNone : it->second;
}

u32 ThreadWalk::context_of_call(u32 caller, u32 return_offset, u32 function) const {
  for (u32 c = 0; c < flow_.contexts.size(); ++c)
    if (flow_.contexts[c].parent == caller && flow_.contexts[c].return_offset == return_offset &&
        flow_.contexts[c].function == function)
      return c;
  return analysis::kNone;
}

const ThreadWalk::Walk& ThreadWalk::walk(const std::array<u32, 3>& block,
                                         const std::array<u32, 3>& thread, bool remember) {
  const std::array<u32, 6> key = {block[0], block[1], block[2], thread[0], thread[1], thread[2]};
  if (const auto it = walks_.find(key); it != walks_.end()) return it->second;
  Walker walker(*this, block, thread);
  walker.run(steps_left_);
  Walk result{std::move(walker.events), walker.ended && !walker.incomplete && !walker.stopped,
              walker.epochs, walker.only_whole_barriers};
  if (!remember) {
    transient_ = std::move(result);
    return transient_;
  }
  return walks_.emplace(key, std::move(result)).first->second;
}

bool ThreadWalk::executes(u32 site, const std::array<u32, 3>& block,
                          const std::array<u32, 3>& thread, u64 address, u64 byte) {
  const analysis::AccessSite& wanted = summary_.sites[site];
  const bool reads = wanted.kind != analysis::AccessKind::kWrite;
  const auto covers = [&](const Event& event) {
    return event.write &&
           (!event.known_address || (byte >= event.address && byte - event.address < event.bytes));
  };
  for (const Event& event : walk(block, thread).events) {
    const bool matches = event.code_offset == wanted.code_offset && event.known_address &&
                         event.address == address && byte >= address &&
                         byte - address < event.bytes && (reads ? event.read : event.write);
    if (matches) {
      if (!reads || !event.barriers_before) return true;
      // Another thread of the block may have written the byte before the barrier.
      for (u32 z = 0; z < launch_.block[2]; ++z)
        for (u32 y = 0; y < launch_.block[1]; ++y)
          for (u32 x = 0; x < launch_.block[0]; ++x) {
            const std::array<u32, 3> other_thread = {x, y, z};
            if (other_thread == thread) continue;
            for (const Event& other : walk(block, other_thread).events)
              if (covers(other)) return false;
            if (steps_left_ == 0) return false;
          }
      return true;
    }
    if (reads && covers(event)) return false;
  }
  return false;
}

}  // namespace picker::validate
