// A decoded SASS instruction, independent of how it was encoded.
//
// The decoder (decoder.hpp) turns 16 bytes into one `Instruction` without allocating. Everything
// later (printer, semantics, analysis) reads only this form. An `Instruction` lists *all* operands
// of its form in a fixed order, also those that the assembly text omits because they have their
// default value (PT, RZ), each tagged with its role; semantics look operands up by role, the
// printer walks them in order. Modifiers are (field, value) pairs in print order; every field of
// the form is present, defaults included, so that nothing about the word is lost.
#pragma once

#include <array>
#include <optional>

#include "sass/opcodes.hpp"  // enum class Opcode, Field, Value: generated from the table's names
#include "support/types.hpp"

namespace picker::sass {

inline constexpr u32 kInstructionBytes = 16;
inline constexpr u8 kRZ = 255;   // general register that reads zero and ignores writes
inline constexpr u8 kURZ = 255;  // uniform register that reads zero, on every family
inline constexpr u8 kPT = 7;     // predicate (or uniform predicate) that is always true

enum class OperandKind : u8 {
  kNone,
  kRegister,          // R0..R254, RZ
  kUniformRegister,   // UR0..., URZ (63 in encodings up to sm_90 is normalised to kURZ)
  kPredicate,         // P0..P6, PT
  kUniformPredicate,  // UP0..UP6, UPT
  kImmediate,         // `value`: 32-bit pattern, zero-extended; of width 2 all 64 bits
  kConstant,          // c[bank][offset], c[bank][R + offset], c[bank][UR + offset]
  kBindlessConstant,  // cx[UR][offset]
  kAddress,           // [R + UR + offset], desc[UR][...], memory of the opcode's space
  kBarrierRegister,   // B0..B15 (convergence barrier)
  kScoreboard,        // SB0..SB5
  kSpecialRegister,   // S2R source; `value` is the number, SpecialRegister names the known ones
  kCodeAddress,       // branch target; `value` is the byte offset from the start of the section
  kBits,              // a small literal that is not data (lane mask, shuffle mask, barrier id...)
};

// What an operand is to its instruction.
enum class Role : u8 {
  kDst,    // register result
  kDst2,   // second register result (second quad of 256-bit loads, TEX's second destination)
  kPDst,   // predicate result
  kPDst2,  // second predicate result
  kA,      // sources in the order of the manual
  kB,
  kC,
  kD,
  kPSrc,  // predicate sources, in encoding order: bits 87-90 first, then 77-80, then 68-71
  kPSrc2,
  kPSrc3,
  kAddress,   // the memory address of a load, store or atomic; global side of LDGSTS
  kAddress2,  // the second address (shared side of LDGSTS)
  kTarget,    // branch target or the base it is relative to
  kBarrier,   // convergence barrier or barrier number
  kAux,       // anything else: masks, ids, scoreboards
  kCount,
};

struct Operand {
  OperandKind kind = OperandKind::kNone;
  Role role = Role::kAux;
  u8 width = 1;             // registers: how many consecutive 32-bit registers are read or written
  u8 reg = kRZ;             // register, predicate or barrier number; base of an address or constant
  u8 ureg = kURZ;           // uniform register added to an address or indexing a constant
  u8 descriptor = kURZ;     // uniform register of desc[UR]; meaningful if has_descriptor
  u8 bank = 0;              // constant bank
  bool negate : 1 = false;  // -x
  bool absolute : 1 = false;  // |x|
  bool invert : 1 = false;    // ~x or !p
  bool reuse : 1 = false;     // .reuse hint: no meaning
  bool def : 1 = false;       // written by the instruction
  bool use : 1 = false;       // read by the instruction (an operand can be both)
  bool has_descriptor : 1 = false;
  bool descriptor_is_half : 1 = false;  // `descriptor` is its upper half alone, not a pair
  bool wide : 1 = false;                // address: base is a 64-bit register pair (".64")
  bool has_ureg : 1 = false;            // address/constant: `ureg` is present
  bool ureg_wide : 1 = false;           // address: the uniform register is a 64-bit pair
  bool has_reg : 1 =
      false;  // address/constant: `reg` is present (RZ counts as absent when unprinted)
  bool base_is_u32 : 1 = false;  // address: ".U32": base register is zero-extended
  bool hi_half : 1 = false;      // half selectors .H1 where the semantics need them
  u8 scale = 0;   // address: base register shifted left by this (.X4 = 2, .X8 = 3, .X16 = 4)
  u8 print = 0;   // printer's own hint (descriptor shown, negative offset, family)
  i64 value = 0;  // immediate bits, constant/address offset in bytes, code offset, number

  bool operator==(const Operand&) const = default;

  [[nodiscard]] bool is_zero_register() const {
    return (kind == OperandKind::kRegister && reg == kRZ) ||
           (kind == OperandKind::kUniformRegister && reg == kURZ);
  }
};

struct Modifier {
  Field field{};
  Value value{};

  bool operator==(const Modifier&) const = default;
};

inline constexpr u32 kMaxOperands = 12;
inline constexpr u32 kMaxModifiers = 14;

struct Instruction {
  Opcode opcode = Opcode::kUnknown;
  u16 row = 0;     // index of the table row that matched (diagnostics and tests)
  u8 guard = kPT;  // @P / @UP
  bool guard_negated = false;
  bool guard_uniform = false;
  u8 operand_count = 0;
  u8 modifier_count = 0;
  std::array<Operand, kMaxOperands> operands;
  std::array<Modifier, kMaxModifiers> modifiers;

  bool operator==(const Instruction&) const = default;

  [[nodiscard]] bool known() const { return opcode != Opcode::kUnknown; }

  // The operand with `role`, or null if the form has none. The pointer is into this object.
  [[nodiscard]] const Operand* find(Role role) const {
    for (u32 i = 0; i < operand_count; ++i)
      if (operands[i].role == role) return &operands[i];
    return nullptr;
  }
  // The value of `field`, or nothing if the form has no such field.
  [[nodiscard]] std::optional<Value> modifier(Field field) const {
    for (u32 i = 0; i < modifier_count; ++i)
      if (modifiers[i].field == field) return modifiers[i].value;
    return std::nullopt;
  }
  // Whether the form has `field` and it has `value`.
  [[nodiscard]] bool has(Field field, Value value) const {
    return modifier(field) == std::optional<Value>(value);
  }
};

}  // namespace picker::sass
