// Matrix products of a warpgroup (wgmma in PTX, sm_90a): HGMMA and IGMMA.
//
// Four warps in a row, the first a multiple of four, multiply 64 rows of A by B. Here each warp
// computes its 16 rows when it issues the instruction, from shared memory as it then is; a device
// does so later, but code may touch neither operands nor results before it has waited
// (WARPGROUP.DEPBAR). What a wait promises is that the products of the whole group are done: so it
// suspends the warp until the other three have issued as many.
//
// The fragments are those of mma.m16n8k16 and its kin, side by side along n. Source: PTX ISA,
// "wgmma.mma_async", register fragments. Rounding as in semantics/matrix.hpp.
#include <charconv>
#include <cstring>

#include "emulator/warp.hpp"
#include "semantics/ieee.hpp"
#include "semantics/matrix.hpp"
#include "semantics/matrix_descriptor.hpp"
#include "semantics/understood.hpp"

namespace picker::emulator {

using sass::Field;
using sass::Opcode;
using sass::Role;
using sass::Value;

namespace {

constexpr u32 kWarpsOfGroup = 4, kRowsOfWarp = 16;

struct Shape {
  u32 columns = 0, depth = 0;
};

// "64xNxK"
std::optional<Shape> shape_of(const Instruction& in) {
  const std::optional<Value> value = in.modifier(Field::kShape);
  if (!value) return std::nullopt;
  const std::string_view text = sass::to_string(*value);
  const size_t first = text.find('x');
  const size_t second = first == std::string_view::npos ? first : text.find('x', first + 1);
  if (second == std::string_view::npos || text.substr(0, first) != "64") return std::nullopt;
  Shape shape;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data() + first + 1, end, shape.columns).ec != std::errc() ||
      std::from_chars(text.data() + second + 1, end, shape.depth).ec != std::errc())
    return std::nullopt;
  return shape;
}

bool says(const Instruction& in, std::string_view word) {
  const std::optional<Value> value = in.modifier(Field::kDescriptor);
  return value && sass::to_string(*value).find(word) != std::string_view::npos;
}

}  // namespace

void Warp::warpgroup_matrix(const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const Operand* dst = in.find(Role::kDst);
  const std::optional<Shape> shape = shape_of(in);
  const u32 warp = first_thread_ / kWarpSize;
  if (!semantics::is_understood(in) || !shape || b == nullptr || c == nullptr || dst == nullptr ||
      !semantics::is_fragment(c) || guard_.bits != ~u32{0} ||
      (warp / kWarpsOfGroup + 1) * kWarpsOfGroup * kWarpSize > block_.thread_count)
    return unmodelled(in);
  const bool integers = in.opcode == Opcode::kIGMMA;
  const bool tf32 = in.has(Field::kSourceType, Value::kTF32);
  const bool brain = in.has(Field::kSourceType, Value::kBF16);
  const bool narrow = !integers && in.has(Field::kAccType, Value::kF16);
  const u32 bytes = integers ? 1 : tf32 ? 4 : 2;
  const u32 registers = shape->columns / (narrow ? 4 : 2);
  if (shape->depth * bytes != 32 || dst->width != registers ||
      (!c->is_zero_register() && c->width != registers) || (a != nullptr && a->width != 4))
    return unmodelled(in);
  // Descriptors of A and B lie in four uniform registers, A's unused where it is in registers.
  const u8 base = b->kind == sass::OperandKind::kUniformRegister ? b->reg : b->ureg;
  if (base >= sass::kURZ - 3) return unmodelled(in);
  const auto descriptor = [&](u32 n) { return u64{uregs_[base + n + 1]} << 32 | uregs_[base + n]; };
  const semantics::MatrixDescriptor of_a(descriptor(0), bytes, says(in, "tnspA"));
  const semantics::MatrixDescriptor of_b(descriptor(2), bytes, says(in, "tnspB"));
  if ((a == nullptr && !of_a.known()) || !of_b.known())
    return stop(End::kUnmodelled, "a matrix descriptor with fields that are not modelled");

  const u32 depth = shape->depth;
  const auto number = [&](u32 raw, Value integer_type) -> double {
    if (integers)
      return static_cast<double>(integer_type == Value::kS8 ? i32{static_cast<i8>(raw)}
                                                            : static_cast<i32>(raw & 0xff));
    const u32 single =
        tf32    ? raw & 0xffffe000
        : brain ? (raw & 0xffff) << 16
                : static_cast<u32>(ieee::convert(ieee::kHalf, ieee::kSingle, raw & 0xffff, {}));
    return static_cast<double>(std::bit_cast<float>(single));
  };
  const Value a_type = in.modifier(Field::kSourceType).value_or(Value::kNone);
  const Value b_type = in.modifier(Field::kSourceTypeB).value_or(Value::kNone);
  const auto in_shared = [&](const semantics::MatrixDescriptor& matrix, u32 line, u32 k) {
    u8* at = nullptr;
    u32 raw = 0;
    const u64 place = u64{block_.cluster_rank} << kSharedOffsetBits | matrix.address(line, k);
    if (!shared_.outcome && narrow_bytes(Target::kShared, 0, place, bytes, at))
      std::memcpy(&raw, at, bytes);
    return raw;
  };
  std::vector<double> left(size_t{kRowsOfWarp} * depth), right(size_t{shape -> columns} * depth);
  const u32 first_row = warp % kWarpsOfGroup * kRowsOfWarp;
  for (u32 row = 0; row < kRowsOfWarp; ++row)
    for (u32 k = 0; k < depth; ++k) {
      u32 raw = 0;
      if (a != nullptr) {
        const semantics::FragmentPlace p =
            semantics::fragment_place(row, k, kRowsOfWarp, 8 * bytes);
        raw = regs_[a->reg + p.reg][p.lane] >> p.shift;
      } else {
        raw = in_shared(of_a, first_row + row, k);
      }
      left[row * depth + k] = number(raw, a_type) * (says(in, "negA") ? -1 : 1);
    }
  for (u32 column = 0; column < shape->columns; ++column)
    for (u32 k = 0; k < depth; ++k)
      right[column * depth + k] =
          number(in_shared(of_b, column, k), b_type) * (says(in, "negB") ? -1 : 1);
  if (shared_.outcome) return;

  const bool adds = semantics::read_flag(*this, in.find(Role::kPSrc)).bits != 0;
  std::vector<Word> out(registers, word(0));
  for (u32 i = 0; i < registers; ++i)
    if (adds) out[i] = semantics::read_raw_word(*this, *c, i);
  for (u32 row = 0; row < kRowsOfWarp; ++row)
    for (u32 column = 0; column < shape->columns; ++column) {
      const u32 lane = row % 8 * 4 + column % 8 / 2;
      const u32 place =
          narrow ? column / 8 * 2 + row / 8 : column / 8 * 4 + row / 8 * 2 + column % 2;
      const u32 shift = narrow ? column % 2 * 16 : 0;
      u32& result = out[place][lane];
      double products = 0;
      const double* x = &left[size_t{row} * depth];
      const double* y = &right[size_t{column} * depth];
      if (integers) {
        for (u32 k = 0; k < depth; ++k) products += x[k] * y[k];
        const i64 sum = i64{static_cast<i32>(result)} + static_cast<i64>(products);
        result = static_cast<u32>(in.has(Field::kSaturate, Value::kSAT)
                                      ? std::clamp<i64>(sum, INT32_MIN, INT32_MAX)
                                      : sum);
        continue;
      }
      const u32 addend = narrow ? static_cast<u32>(ieee::convert(ieee::kHalf, ieee::kSingle,
                                                                 result >> shift & 0xffff, {}))
                                : result;
      double sum = std::bit_cast<float>(addend);
      for (u32 k = 0; k < depth; ++k) sum += x[k] * y[k];
      const u64 pattern = std::bit_cast<u64>(sum);
      if (narrow) {
        const u32 h = static_cast<u32>(ieee::convert(ieee::kDouble, ieee::kHalf, pattern, {}));
        result = (result & ~(u32{0xffff} << shift)) | h << shift;
      } else {
        result = static_cast<u32>(ieee::convert(ieee::kDouble, ieee::kSingle, pattern, {}));
      }
    }
  for (u32 i = 0; i < registers; ++i) semantics::write_word(*this, *dst, out[i], i);
  ++block_.group_products[warp];
  block_.cluster->phase_over = true;  // others may wait for this
  block_.check_barriers = true;
}

// WARPGROUP.ARRIVE orders registers; .DEPBAR waits for products.
void Warp::warpgroup(const Instruction& in, u64 next) {
  if (!semantics::is_understood(in) || guard_.bits != (exist_ & ~exited_)) return unmodelled(in);
  if (in.has(Field::kSpecial, Value::kARRIVE)) return;
  const u32 warp = first_thread_ / kWarpSize, first = warp / kWarpsOfGroup * kWarpsOfGroup;
  bool done = true;
  for (u32 other = first; other < first + kWarpsOfGroup; ++other)
    done = done && block_.group_products[other] >= block_.group_products[warp];
  if (done) return;
  park();
  move_lanes(active_ & ~guard_.bits, next);
  at_phase_ |= guard_.bits;
  active_ = 0;
  choose_ = true;
}

}  // namespace picker::emulator
