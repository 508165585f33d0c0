// The symbolic value domain: one thread whose registers hold expressions.
//
// Semantics (lib/semantics) run on this class. It owns no control: the analyzer sets the state
// before a block, the guard before an instruction, and is told of memory accesses, reasons and
// nondeterminism through `Recorder`.
//
// Marks. `nondeterministic` travels with values. Shared and local memory carry it as a whole: once
// anything nondeterministic is stored to shared memory (as value, address or guard, or under a
// nondeterministic branch), every load from it is; those facts are found by running the analysis
// again until they no longer grow (`Facts`).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/control_flow.hpp"
#include "analysis/summary.hpp"
#include "container/constant_bank.hpp"
#include "container/cubin.hpp"
#include "semantics/execute.hpp"

namespace picker::analysis {

// Registers of all files in one array, so that joins and loops treat them alike.
inline constexpr u32 kGeneralSlots = 255;
inline constexpr u32 kUniformBase = kGeneralSlots;
inline constexpr u32 kUniformSlots = 255;
inline constexpr u32 kPredicateBase = kUniformBase + kUniformSlots;
inline constexpr u32 kUniformPredicateBase = kPredicateBase + 7;
inline constexpr u32 kSlotCount = kUniformPredicateBase + 7;

// A byte range that this thread surely wrote to global memory before.
struct OwnWrite {
  ExprId address = kNoExpr;
  u32 bytes = 0;
  auto operator<=>(const OwnWrite&) const = default;
};

struct ThreadState {
  std::array<ExprId, kSlotCount> slots;
  std::map<i64, ExprId> local;         // word at stack pointer + key (multiple of 4)
  std::vector<OwnWrite> own_writes;    // sorted
  std::array<u32, 16> barrier_target;  // where the BSSY of each barrier register points; kNone
  std::array<bool, 16> barrier_converged;
  bool converged = true;  // all live threads of the warp are here together
  // Converged without relying on BSYNC: no branch since the start, or since an explicit WARPSYNC of
  // all lanes, could have split the warp. Only then is what votes and elections see determined;
  // CUDA promises no more.
  bool never_split = true;

  ThreadState() {
    slots.fill(kNoExpr);
    barrier_target.fill(kNone);
    barrier_converged.fill(false);
  }
};

// What one run of the analysis learned about nondeterminism that earlier parts of the code must
// know. Grows only; the analysis runs until it is stable.
struct Facts {
  std::vector<bool> control;             // block: which threads or runs come here is not determined
  std::vector<bool> loop_count;          // loop: its trip count is not determined
  std::set<std::pair<u32, u32>> header;  // (loop, slot): the loop-carried value is not determined
  std::set<std::pair<u32, u32>> barriers;  // (loop, barrier register): differs around the loop
  std::vector<bool> loop_splits;    // loop: the same, BSYNC not trusted (ThreadState::never_split)
  std::vector<bool> loop_diverges;  // loop: threads of a warp may be in different iterations
  bool shared = false;              // shared memory holds something undetermined
  bool local = false;               // local memory does
  bool reduction = false;           // the predicates that barriers reduce are not determined
  bool changed = false;

  void raise(std::vector<bool>& flags, u32 index) {
    if (flags[index]) return;
    flags[index] = true;
    changed = true;
  }
  void raise(bool& flag) {
    if (flag) return;
    flag = true;
    changed = true;
  }
  void raise(std::set<std::pair<u32, u32>>& flags, u32 a, u32 b) {
    if (flags.emplace(a, b).second) changed = true;
  }
};

class SymbolicThread {
 public:
  using Word = ExprId;
  using Wide = ExprId;
  using Flag = ExprId;
  using Instruction = sass::Instruction;

  SymbolicThread(const container::Cubin& cubin, const container::Kernel& kernel, Summary& summary,
                 Facts& facts);

  // ---- set by the analyzer ----
  ThreadState state;
  ExprId guard = kNoExpr;  // 1 bit; the instruction's own predicate
  u32 code_offset = 0;
  u64 loops = 0;  // bits of the loops around the current block
  std::vector<LoopId> loop_stack;
  std::vector<ExprId> conditions;  // of the current block
  bool control_nondeterministic = false;
  bool immediate_read = false;  // the current instruction's immediate was taken into account
  bool recording = false;       // sites and findings go to the summary
  const sass::Instruction* current = nullptr;  // the instruction being executed
  // Placeholders of loops in their first execution. Taking them for uniform is an assumption that
  // the second execution checks: a uniform register lost there is marked and the analysis repeated.
  std::set<ExprId> assumed_uniform;

  void find(Reason reason, std::string detail);

  // ---- the domain (lib/semantics/domain.hpp) ----
  Word word(u32 value) { return e_.constant(32, value); }
  Wide wide(u64 value) { return e_.constant(64, value); }
  Flag flag(bool value) { return e_.constant(1, value ? 1 : 0); }
  Word immediate(u32 value);

  ExprId add(ExprId a, ExprId b) { return e_.add(a, b); }
  ExprId sub(ExprId a, ExprId b) { return e_.sub(a, b); }
  ExprId mul(ExprId a, ExprId b) { return e_.mul(a, b); }
  ExprId bit_and(ExprId a, ExprId b) { return e_.bit_and(a, b); }
  ExprId bit_or(ExprId a, ExprId b) { return e_.bit_or(a, b); }
  ExprId bit_xor(ExprId a, ExprId b) { return e_.bit_xor(a, b); }
  ExprId bit_not(ExprId a) { return e_.bit_not(a); }
  ExprId shift_left(ExprId a, ExprId n) { return e_.shift_left(a, n); }
  ExprId shift_right(ExprId a, ExprId n) { return e_.shift_right(a, n); }
  ExprId shift_right_signed(ExprId a, ExprId n) { return e_.shift_right_signed(a, n); }
  Flag equal(ExprId a, ExprId b) { return e_.equal(a, b); }
  Flag less_unsigned(ExprId a, ExprId b) { return e_.less_unsigned(a, b); }
  Flag less_signed(ExprId a, ExprId b) { return e_.less_signed(a, b); }
  ExprId select(Flag c, ExprId a, ExprId b) { return e_.select(c, a, b); }
  ExprId minimum(bool is_signed, ExprId a, ExprId b) {
    return is_signed ? e_.min_signed(a, b) : e_.min_unsigned(a, b);
  }
  ExprId maximum(bool is_signed, ExprId a, ExprId b) {
    return is_signed ? e_.max_signed(a, b) : e_.max_unsigned(a, b);
  }
  Flag carry(ExprId a, ExprId b, Flag in) { return e_.carry(a, b, in); }
  Flag flag_and(Flag a, Flag b) { return e_.bit_and(a, b); }
  Flag flag_or(Flag a, Flag b) { return e_.bit_or(a, b); }
  Flag flag_xor(Flag a, Flag b) { return e_.bit_xor(a, b); }
  Flag flag_not(Flag a) { return e_.bit_not(a); }
  Wide widen_unsigned(Word a) { return e_.zero_extend(a, 64); }
  Wide widen_signed(Word a) { return e_.sign_extend(a, 64); }
  Word low(Wide a) { return e_.extract(a, 0, 32); }
  Word high(Wide a) { return e_.extract(a, 32, 32); }
  Wide join(Word high_word, Word low_word) { return e_.concat(high_word, low_word); }
  Word field(Word a, u32 low_bit, u32 bits) {
    return e_.zero_extend(e_.extract(a, low_bit, static_cast<u8>(bits)), 32);
  }
  Word field_signed(Word a, u32 low_bit, u32 bits) {
    return e_.sign_extend(e_.extract(a, low_bit, static_cast<u8>(bits)), 32);
  }
  Flag bit(Word a, u32 n) { return e_.extract(a, n, 1); }
  Word from_flag(Flag a) { return e_.zero_extend(a, 32); }
  Word population_count(Word a);
  Word reverse_bits(Word a);
  std::optional<u32> known(Word a) const {
    if (!e_.is_constant(a)) return std::nullopt;
    return static_cast<u32>(e_.node(a).payload);
  }
  std::optional<Flag> compare_extended(sass::Value relation, bool is_signed, Word a, Word b,
                                       Flag low);

  Word reg(u8 n) { return read_slot(n, 32); }
  Word ureg(u8 n) { return read_slot(kUniformBase + n, 32); }
  Flag pred(u8 n) { return n == sass::kPT ? flag(true) : read_slot(kPredicateBase + n, 1); }
  Flag upred(u8 n) { return n == sass::kPT ? flag(true) : read_slot(kUniformPredicateBase + n, 1); }
  void set_reg(u8 n, Word x) {
    if (n != sass::kRZ) write_slot(n, x, 32);
  }
  void set_ureg(u8 n, Word x);
  void set_pred(u8 n, Flag x) {
    if (n != sass::kPT) write_slot(kPredicateBase + n, x, 1);
  }
  void set_upred(u8 n, Flag x);
  // Makes a uniform register or predicate unknown: another part of the warp may have written it.
  void lose_uniform(u32 slot, bool from_memory);

  Word constant_word(u8 bank, Word offset);
  Wide constant_wide(u8 bank, Word offset);
  Word constant_bytes(const Instruction& in, u8 bank, Word offset, u32 bytes);
  bool is_global_descriptor(u8 uniform_register);
  Word special_register(const Instruction& in, u32 number, u32 index);
  Word any_lane(const Instruction& in, Word x);

  semantics::Words<SymbolicThread> load(const semantics::MemoryReference<SymbolicThread>& ref);
  void store(const semantics::MemoryReference<SymbolicThread>& ref,
             const semantics::Words<SymbolicThread>& data);
  void atomic(const Instruction& in, const semantics::MemoryReference<SymbolicThread>& ref,
              const semantics::Words<SymbolicThread>& data,
              const semantics::Words<SymbolicThread>& comparand);
  // The bytes' contents become undefined.
  void discard(const semantics::MemoryReference<SymbolicThread>& line);
  void warp_value(const Instruction& in);
  void unmodelled(const Instruction& in);
  void unmodelled_flag(const Instruction& in, const sass::Operand& operand);
  void unmodelled_memory(const Instruction& in);
  // LDG's predicate result: whether a prefetch hit. Nothing determines it.
  void prefetch_flag(const sass::Operand& operand);
  void load_matrix(const Instruction& in);
  // BAR and B2R: a reduction over the block's predicates is as determined as all of them.
  void block_barrier(const Instruction& in);

  // ---- for the analyzer ----
  ExprId read_slot(u32 slot, u8 width);
  // The marks of everything `in` reads.
  struct Marks {
    bool nondeterministic = false;
    bool from_memory = false;
  };
  Marks marks_of_uses(const Instruction& in);
  ExprId opaque(u8 width, OpaqueCause cause, bool nondeterministic, bool from_memory,
                u64 hi = ~u64{0});
  // Records a read of user constants at the symbol's global address.
  void record_site(AccessKind kind, ExprId address, u32 bytes, bool generic, bool shielded);
  // Whether the value is the same for all threads of a warp.
  [[nodiscard]] bool is_uniform(ExprId id) const;

 private:
  void write_slot(u32 slot, ExprId x, u8 width);
  Word bank0_word(u32 offset);
  bool is_in_window(ExprId address) const;
  bool is_undetermined_outside_windows(ExprId address, u32 splits_left);
  // The choice of 64 bits that makes up the address or is a term of it, or kNoExpr.
  ExprId choice_in(ExprId address) const;
  bool is_parameter_index(ExprId offset) const;
  Word symbol_word(const std::string& name, i64 addend, bool high);
  u32 symbol_number(const std::string& name, bool constant_bank);
  std::optional<i64> local_offset(ExprId address) const;
  bool is_undetermined_place(const semantics::MemoryReference<SymbolicThread>& ref);
  void check_write_determinate(const semantics::MemoryReference<SymbolicThread>& ref);
  void taint_memory(semantics::Space space, bool nondeterministic);
  static bool is_system_scope(const Instruction& in);
  ExprId refined(ExprId id);
  void push_site(AccessSite site, u32 splits_left);

  const container::Cubin& cubin_;
  const container::Kernel& kernel_;
  const container::ConstantBankLayout* layout_;
  Summary& summary_;
  Expressions& e_;
  Facts& facts_;
  ExprId stack_pointer_;
  ExprId shared_window_, local_window_;  // 64-bit bases of the windows in generic addresses
  std::map<u32, ExprId> driver_words_;
  std::map<u32, ExprId> constant3_words_;
};

}  // namespace picker::analysis
