#include "emulator/atomics.hpp"

#include "emulator/mbarrier.hpp"
#include "semantics/ieee.hpp"

namespace picker::emulator {

using sass::Field;
using sass::Opcode;
using sass::Value;

std::optional<AtomicKind> atomic_kind(const sass::Instruction& in, u32 bytes) {
  AtomicKind kind;
  kind.bytes = bytes;
  const std::optional<Value> type = in.modifier(Field::kType);
  const std::optional<Value> mode = in.modifier(Field::kAtomicMode);
  if (!type || (bytes != 4 && bytes != 8)) return std::nullopt;
  kind.type = *type;
  // RED and ATOM name the operation; so do the forms for compare and swap.
  const std::optional<Value> operation = in.modifier(Field::kAtomicOp);
  if (!operation) return std::nullopt;
  kind.operation = *operation;
  if (mode && *mode == Value::kPOPC) return kind;  // one more per lane
  if (mode && *mode != Value::kNone) return std::nullopt;
  const bool is_float =
      *type == Value::kF32_FTZ_RN || *type == Value::kF16x2_RN || *type == Value::kF64_RN;
  const bool is_integer = *type == Value::kU32 || *type == Value::kS32 || *type == Value::k64 ||
                          *type == Value::kU64 || *type == Value::kS64;
  switch (kind.operation) {
    case Value::kADD:
      return is_float || is_integer ? std::optional(kind) : std::nullopt;
    case Value::kMIN:
    case Value::kMAX:
    case Value::kINC:
    case Value::kDEC:
    case Value::kAND:
    case Value::kOR:
    case Value::kXOR:
    case Value::kEXCH:
    case Value::kCAS:
      return is_integer ? std::optional(kind) : std::nullopt;
    case Value::kARRIVE:
      return bytes == 8 ? std::optional(kind) : std::nullopt;
    default:
      return std::nullopt;
  }
}

u64 apply_atomic(const AtomicKind& kind, u64 old_value, u64 b, u64 c) {
  const u64 mask = kind.bytes == 8 ? ~u64{0} : 0xffffffffu;
  const bool is_signed = kind.type == Value::kS32 || kind.type == Value::kS64;
  const auto less = [&](u64 x, u64 y) {
    if (!is_signed) return x < y;
    return kind.bytes == 8 ? static_cast<i64>(x) < static_cast<i64>(y)
                           : static_cast<i32>(x) < static_cast<i32>(y);
  };
  switch (kind.operation) {
    case Value::kADD:
      if (kind.type == Value::kF32_FTZ_RN)
        return ieee::add(ieee::kSingle, old_value, b, {ieee::Rounding::kNearest, true});
      if (kind.type == Value::kF64_RN)
        return ieee::add(ieee::kDouble, old_value, b, {ieee::Rounding::kNearest, false});
      if (kind.type == Value::kF16x2_RN) {
        const ieee::Mode mode{ieee::Rounding::kNearest, false};
        const u64 low = ieee::add(ieee::kHalf, old_value & 0xffff, b & 0xffff, mode);
        const u64 high = ieee::add(ieee::kHalf, old_value >> 16 & 0xffff, b >> 16 & 0xffff, mode);
        return high << 16 | low;
      }
      return (old_value + b) & mask;
    case Value::kMIN:
      return less(b, old_value) ? b : old_value;
    case Value::kMAX:
      return less(old_value, b) ? b : old_value;
    case Value::kINC:
      return old_value >= b ? 0 : old_value + 1;
    case Value::kDEC:
      return old_value == 0 || old_value > b ? b : old_value - 1;
    case Value::kAND:
      return old_value & b;
    case Value::kOR:
      return old_value | b;
    case Value::kXOR:
      return old_value ^ b;
    case Value::kEXCH:
      return b;
    case Value::kCAS:
      return old_value == b ? c : old_value;
    case Value::kARRIVE:
      return arrive_at_early_barrier(old_value);
    default:
      return old_value;
  }
}

}  // namespace picker::emulator
