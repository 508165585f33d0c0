// Symbolic values: hash-consed bit-vector expressions over what a launch fixes and what a thread
// is.
//
// An expression is a node of a directed acyclic graph. Every node has a width in bits (1 for
// conditions, 8 to 64 for data) and denotes, for one thread at one moment, exactly one bit pattern
// of that width. All arithmetic is modulo 2^width: nothing here assumes that a value "is" an
// integer. Where an integer is needed (an address, a comparison, an extension) the validator checks
// with the launch's concrete ranges that the wrap cannot happen (lib/validate).
//
// Nodes are built through `Expressions`, which normalises: sums are flat linear combinations with
// constant coefficients and sorted terms, constants fold, register halves are put together again
// into 64-bit values, comparisons are expressed by three primitives (equal, less unsigned, less
// signed) and negation. Equal expressions therefore usually have equal ids; different ids prove
// nothing.
//
// Every node carries two marks that are the union over its operands:
//   nondeterministic  the value may differ between two runs of the same launch (premise 2 of the
//                     soundness contract): clocks, SM ids, results of atomics, ...
//   from memory       the value depends on what a load returned.
// and a set of loops: those in whose iterations it may change other than through the iteration
// number itself.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/types.hpp"

namespace picker::analysis {

using ExprId = u32;
inline constexpr ExprId kNoExpr = std::numeric_limits<u32>::max();

using LoopId = u32;
inline constexpr u32 kMaxLoops = 64;  // a kernel with more ends in `unknown`: budget

enum class ExprKind : u8 {
  // Leaves.
  kConstant,        // payload: the value
  kLaunchConstant,  // bytes of constant bank 0 as the launch sets it: payload = byte offset;
                    // width 8..64
  kSymbolAddress,   // 64-bit address of module symbol number `payload` (Summary::symbols)
  kThreadIndex,     // threadIdx; payload = axis 0..2; 32 bits
  kBlockIndex,      // blockIdx; payload = axis 0..2; 32 bits
  kIteration,       // ghost iteration number of loop `payload`, from 0; 64 bits, never wraps
  kOpaque,          // unknown value number `payload`, in the unsigned range opaque(payload)
  // Arithmetic, modulo 2^width.
  kSum,      // constant() + sum of coefficient(i) * operand(i); operands have this width
  kProduct,  // operand 0 * operand 1 (neither is constant)
  kAnd,
  kOr,
  kXor,               // bitwise; also the connectives of conditions (width 1); NOT x is x ^ ones
  kShiftLeft,         // operand 0 << operand 1; amounts >= width give 0
  kShiftRight,        // logical; amounts >= width give 0
  kShiftRightSigned,  // arithmetic; amounts >= width give the sign everywhere
  kDivide,
  kRemainder,  // unsigned, divisor not zero (a zero divisor makes the whole value opaque)
  kMinUnsigned,
  kMaxUnsigned,
  kMinSigned,
  kMaxSigned,
  // Width changes.
  kZeroExtend,
  kSignExtend,
  kExtract,  // `width` bits of operand 0 from bit `payload` on
  // Choice.
  kSelect,  // operand 0 (1 bit) ? operand 1 : operand 2
  // Conditions (width 1).
  kEqual,
  kLessUnsigned,
  kLessSigned,  // operands of one width
  kCarry,       // carry out of operand 0 + operand 1 + operand 2 (the last is 1 bit wide)
};

struct ExprNode {
  ExprKind kind = ExprKind::kConstant;
  u8 width = 32;  // bits
  bool nondeterministic = false;
  bool from_memory = false;
  u8 low_zero_bits = 0;  // found once, when the node is made: expressions share operands
  u8 significant_bits = 0;
  u32 first_operand = 0;  // index into the operand array
  u32 operand_count = 0;
  u64 payload = 0;  // constant value; kSum: the constant term; else see ExprKind
  u64 loops = 0;    // bit L: changes in loop L's iterations by more than its kIteration
};

// Why a value is not known, for the reason a verdict gives.
enum class OpaqueCause : u8 {
  kGlobalLoad,    // loaded from global memory
  kSharedLoad,    // loaded from shared memory
  kLocalLoad,     // loaded from local memory that the model lost
  kConstantLoad,  // constant memory whose content is not known
  kAtomicResult,
  kWarpValue,       // shuffle, vote, match, reduction across lanes
  kClock,           // clock, timer, SM, warp or grid id, performance counter
  kDriverConstant,  // driver-owned constant
  kUninitialised,   // register never written
  kArithmetic,      // an operation that is not modelled (floating point and the like)
  kJoin,            // different values met where paths joined
  kLoop,            // changes per iteration in no known way
};

struct Opaque {
  u64 lo = 0;  // unsigned range of the value, inclusive
  u64 hi = 0;
  OpaqueCause cause = OpaqueCause::kArithmetic;
  u32 code_offset = 0;  // the instruction that made it
};

// Owns all expressions of one kernel. Not thread-safe while building; const members are.
class Expressions {
 public:
  Expressions();

  [[nodiscard]] const ExprNode& node(ExprId id) const { return nodes_[id]; }
  [[nodiscard]] u8 width(ExprId id) const { return nodes_[id].width; }
  [[nodiscard]] std::span<const ExprId> operands(ExprId id) const {
    return {operands_.data() + nodes_[id].first_operand, nodes_[id].operand_count};
  }
  // kSum only: the coefficients, one per operand, modulo 2^width.
  [[nodiscard]] std::span<const u64> coefficients(ExprId id) const {
    return {coefficients_.data() + nodes_[id].first_operand, nodes_[id].operand_count};
  }
  [[nodiscard]] const Opaque& opaque(u64 number) const { return opaques_[number]; }
  [[nodiscard]] u32 size() const { return static_cast<u32>(nodes_.size()); }

  [[nodiscard]] bool is_constant(ExprId id) const { return nodes_[id].kind == ExprKind::kConstant; }
  [[nodiscard]] bool is_constant(ExprId id, u64 value) const {
    return is_constant(id) && nodes_[id].payload == value;
  }
  [[nodiscard]] bool is_true(ExprId id) const { return width(id) == 1 && is_constant(id, 1); }
  [[nodiscard]] bool is_false(ExprId id) const { return width(id) == 1 && is_constant(id, 0); }

  // Leaves.
  ExprId constant(u8 width, u64 value);
  ExprId launch_constant(u8 width, u32 offset);
  ExprId symbol_address(u32 symbol);
  ExprId thread_index(u32 axis);
  ExprId block_index(u32 axis);
  // `outer_loops`: bits of the loops around `loop`; the count reached in one of their iterations
  // says nothing about the next. `nondeterministic`: the trip count may differ between runs.
  ExprId iteration(LoopId loop, u64 outer_loops, bool nondeterministic);
  // A fresh unknown, different from every other. `loops`: the loops around its definition.
  ExprId make_opaque(u8 width, u64 lo, u64 hi, OpaqueCause cause, u32 code_offset, u64 loops,
                     bool nondeterministic, bool from_memory);

  // Arithmetic. Operands of one node have equal widths unless said otherwise.
  ExprId add(ExprId a, ExprId b);
  ExprId sub(ExprId a, ExprId b);
  ExprId negate(ExprId a);
  ExprId mul(ExprId a, ExprId b);
  ExprId bit_and(ExprId a, ExprId b);
  ExprId bit_or(ExprId a, ExprId b);
  ExprId bit_xor(ExprId a, ExprId b);
  ExprId bit_not(ExprId a);
  ExprId shift_left(ExprId a, ExprId amount);  // `amount` may have another width
  ExprId shift_right(ExprId a, ExprId amount);
  ExprId shift_right_signed(ExprId a, ExprId amount);
  ExprId divide(ExprId a, ExprId b);     // unsigned; the caller knows b != 0
  ExprId remainder(ExprId a, ExprId b);  // unsigned; the caller knows b != 0
  ExprId min_unsigned(ExprId a, ExprId b);
  ExprId max_unsigned(ExprId a, ExprId b);
  ExprId min_signed(ExprId a, ExprId b);
  ExprId max_signed(ExprId a, ExprId b);
  ExprId zero_extend(ExprId a, u8 width);
  ExprId sign_extend(ExprId a, u8 width);
  ExprId extract(ExprId a, u32 low_bit, u8 width);
  // The value whose low half is `low` and whose high half is `high` (widths may differ).
  ExprId concat(ExprId high, ExprId low);
  ExprId select(ExprId condition, ExprId if_true, ExprId if_false);
  ExprId equal(ExprId a, ExprId b);
  ExprId less_unsigned(ExprId a, ExprId b);
  ExprId less_signed(ExprId a, ExprId b);
  ExprId carry(ExprId a, ExprId b, ExprId carry_in);

  // `id` with every occurrence of `from` replaced by `to` (equal widths), normalised again.
  ExprId substitute(ExprId id, ExprId from, ExprId to);

  // Whether `id` mentions `what`.
  [[nodiscard]] bool mentions(ExprId id, ExprId what) const;

  // Bits known to be zero: at least this many low ones, and all from `significant_bits` up.
  [[nodiscard]] u32 low_zero_bits(ExprId id) const { return nodes_[id].low_zero_bits; }
  [[nodiscard]] u32 significant_bits(ExprId id) const { return nodes_[id].significant_bits; }

  // For people: C-like text; parameters by offset unless `names` knows better.
  [[nodiscard]] std::string to_string(ExprId id) const;

 private:
  ExprId intern(ExprNode node, std::span<const ExprId> operands, std::span<const u64> coefficients);
  ExprId binary(ExprKind kind, ExprId a, ExprId b, u8 width);
  ExprId commutative(ExprKind kind, ExprId a, ExprId b);
  using Terms = std::vector<std::pair<ExprId, u64>>;
  ExprId linear(u8 width, u64 constant, Terms& terms);
  void add_term(u8 width, u64& constant, Terms& terms, ExprId id, u64 coefficient);
  bool join_halves(u64& constant, Terms& terms);
  ExprId shifted_whole(ExprId high);
  ExprId find_extract(ExprId a, u32 low_bit, u8 width);
  ExprId find_concat(ExprId high, ExprId low);
  [[nodiscard]] u32 find_low_zero_bits(const ExprNode& n) const;
  [[nodiscard]] u32 find_significant_bits(const ExprNode& n) const;

  std::vector<ExprNode> nodes_;
  std::vector<ExprId> operands_;
  std::vector<u64> coefficients_;  // parallel to operands_; 0 for nodes other than kSum
  std::vector<Opaque> opaques_;
  void grow_index();

  // Hash table by open addressing; a power of two, at most half full, kNoExpr where empty.
  std::vector<ExprId> index_;
  std::vector<u32> hashes_;                             // of the nodes
  std::unordered_map<u64, ExprId> extracts_, concats_;  // results by the operands packed together
};

}  // namespace picker::analysis
