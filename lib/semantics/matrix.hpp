// Matrix instructions of a warp: HMMA, IMMA, DMMA, and the loads and moves that feed them.
//
// A matrix is spread over the lanes: with g = lane / 4 and t = lane % 4, a register of A holds
// consecutive elements of row g (or g + 8), from column t times the elements per register on; of B
// likewise with columns for rows; of the accumulator two neighbours in a row. Source: PTX ISA,
// "Matrix fragments for mma", the figures for each shape.
//
// Integer results are exact. What a tensor core does to the low bits of floating sums is not
// documented. Here products are exact and are summed, from the accumulator on, in double precision
// in the order of k, and rounded once to the accumulator's type (FP64: a chain of fused
// multiply-adds in the order of k). Values stored may differ in their last bits from a device's.
#pragma once

#include <bit>
#include <cmath>

#include "semantics/float.hpp"

namespace picker::semantics {

struct MatrixShape {
  u32 rows = 0, columns = 0, depth = 0;
};

[[nodiscard]] inline std::optional<MatrixShape> matrix_shape(const Instruction& in) {
  const std::optional<Value> shape = in.modifier(Field::kShape);
  if (!shape) return std::nullopt;
  switch (*shape) {
    case Value::k884:
    case Value::k8x8x4:
      return MatrixShape{8, 8, 4};
    case Value::k1684:
      return MatrixShape{16, 8, 4};
    case Value::k1688:
      return MatrixShape{16, 8, 8};
    case Value::k16816:
      return MatrixShape{16, 8, 16};
    case Value::k16832:
      return MatrixShape{16, 8, 32};
    case Value::k8816:
      return MatrixShape{8, 8, 16};
    default:
      return std::nullopt;
  }
}

// The bits of element (row, k) of A, or (column, k) of B: `rows` is 16 or 8 for A, 8 for B; `bits`
// per element. Registers go down the rows first, then along k.
struct FragmentPlace {
  u32 lane = 0, reg = 0, shift = 0;
};
[[nodiscard]] inline FragmentPlace fragment_place(u32 row, u32 k, u32 rows, u32 bits) {
  const u32 each = 32 / bits;   // elements per register
  const u32 span = 4 * each;    // elements of one row over the four lanes
  const u32 halves = rows / 8;  // registers of one step of k
  return {(row % 8) * 4 + k % span / each, k / span * halves + row / 8, k % each * bits};
}

// Whether a fragment operand is a plain run of registers.
[[nodiscard]] inline bool is_fragment(const Operand* operand) {
  return operand != nullptr && operand->kind == OperandKind::kRegister && !operand->negate &&
         !operand->absolute && !operand->invert;
}

constexpr u32 kMaxFragmentRegisters = 8;
using Fragment = std::array<Lanes<u32>, kMaxFragmentRegisters>;

template <ConcreteDomain D>
Fragment read_fragment(D& d, const Operand& operand) {
  Fragment out;
  for (u32 i = 0; i < kMaxFragmentRegisters; ++i)
    out[i] = i < operand.width ? read_raw_word(d, operand, i) : d.word(0);
  return out;
}

// HMMA: half, bfloat16 or TF32 factors, half or single accumulators.
template <ConcreteDomain D>
bool half_matrix(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const std::optional<MatrixShape> shape = matrix_shape(in);
  if (!shape || shape->rows != 16 || !is_fragment(a) || !is_fragment(b) || !is_fragment(c) ||
      in.modifier(Field::kSparse))
    return false;
  const bool tf32 = in.has(Field::kSourceType, Value::kTF32);
  const bool brain = in.has(Field::kSourceType, Value::kBF16);
  const bool narrow = in.has(Field::kAccType, Value::kF16);
  if (!narrow && !in.has(Field::kAccType, Value::kF32)) return false;
  const u32 bits = tf32 ? 32 : 16;
  // What each operand must have for this shape; the fragments' registers follow.
  const u32 per_register = 32 / bits;
  if (a->width != 16 * shape->depth / (32 * per_register) ||
      b->width != 8 * shape->depth / (32 * per_register) || c->width != (narrow ? 2u : 4u))
    return false;
  const Fragment fa = read_fragment(d, *a), fb = read_fragment(d, *b), fc = read_fragment(d, *c);
  const auto element = [&](const Fragment& f, u32 row, u32 k, u32 rows) {
    const FragmentPlace p = fragment_place(row, k, rows, bits);
    const u32 word = f[p.reg][p.lane] >> p.shift;
    // TF32 keeps 10 bits of the fraction.
    const u32 single =
        tf32    ? word & 0xffffe000
        : brain ? (word & 0xffff) << 16
                : static_cast<u32>(ieee::convert(ieee::kHalf, ieee::kSingle, word & 0xffff, {}));
    return static_cast<double>(std::bit_cast<float>(single));
  };
  Fragment out = fc;
  for (u32 row = 0; row < 16; ++row)
    for (u32 column = 0; column < 8; ++column) {
      const u32 lane = row % 8 * 4 + column / 2;
      const u32 reg = narrow ? row / 8 : row / 8 * 2 + column % 2;
      const u32 shift = narrow ? column % 2 * 16 : 0;
      const u32 old_bits =
          narrow ? static_cast<u32>(ieee::convert(ieee::kHalf, ieee::kSingle,
                                                  fc[reg][lane] >> shift & 0xffff, {}))
                 : fc[reg][lane];
      double sum = std::bit_cast<float>(old_bits);
      for (u32 k = 0; k < shape->depth; ++k)
        sum += element(fa, row, k, 16) * element(fb, column, k, 8);
      const u64 pattern = std::bit_cast<u64>(sum);
      if (narrow) {
        const u32 h = static_cast<u32>(ieee::convert(ieee::kDouble, ieee::kHalf, pattern, {}));
        out[reg][lane] = (out[reg][lane] & ~(u32{0xffff} << shift)) | h << shift;
      } else {
        out[reg][lane] = static_cast<u32>(ieee::convert(ieee::kDouble, ieee::kSingle, pattern, {}));
      }
    }
  const Operand& dst = *in.find(Role::kDst);
  for (u32 i = 0; i < dst.width; ++i) write_word(d, dst, out[i], i);
  return true;
}

// IMMA: bytes, 32-bit accumulators.
template <ConcreteDomain D>
bool integer_matrix(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const std::optional<MatrixShape> shape = matrix_shape(in);
  const bool a_signed = in.has(Field::kSourceType, Value::kS8);
  const bool b_signed = in.has(Field::kSourceTypeB, Value::kS8);
  if (!shape || shape->depth < 16 || !is_fragment(a) || !is_fragment(b) || !is_fragment(c) ||
      in.modifier(Field::kSparse) || (!a_signed && !in.has(Field::kSourceType, Value::kU8)) ||
      (!b_signed && !in.has(Field::kSourceTypeB, Value::kU8)))
    return false;
  if (a->width != shape->rows * shape->depth / 128 || b->width != 8 * shape->depth / 128 ||
      c->width != shape->rows / 4)
    return false;
  const bool saturates = in.has(Field::kSaturate, Value::kSAT);
  const Fragment fa = read_fragment(d, *a), fb = read_fragment(d, *b), fc = read_fragment(d, *c);
  const auto element = [](const Fragment& f, u32 row, u32 k, u32 rows, bool is_signed) {
    const FragmentPlace p = fragment_place(row, k, rows, 8);
    const u32 byte = f[p.reg][p.lane] >> p.shift & 0xff;
    return is_signed ? i64{static_cast<i8>(byte)} : i64{byte};
  };
  Fragment out = fc;
  for (u32 row = 0; row < shape->rows; ++row)
    for (u32 column = 0; column < 8; ++column) {
      const u32 lane = row % 8 * 4 + column / 2, reg = row / 8 * 2 + column % 2;
      i64 sum = static_cast<i32>(fc[reg][lane]);
      for (u32 k = 0; k < shape->depth; ++k)
        sum += element(fa, row, k, shape->rows, a_signed) * element(fb, column, k, 8, b_signed);
      if (saturates) sum = std::clamp<i64>(sum, INT32_MIN, INT32_MAX);
      out[reg][lane] = static_cast<u32>(sum);
    }
  const Operand& dst = *in.find(Role::kDst);
  for (u32 i = 0; i < dst.width; ++i) write_word(d, dst, out[i], i);
  return true;
}

// DMMA.884.
template <ConcreteDomain D>
bool double_matrix(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const std::optional<MatrixShape> shape = matrix_shape(in);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!mode || !shape || shape->rows != 8 || shape->depth != 4 || !is_fragment(a) ||
      !is_fragment(b) || !is_fragment(c) || a->width != 2 || b->width != 2 || c->width != 4)
    return false;
  const Fragment fa = read_fragment(d, *a), fb = read_fragment(d, *b), fc = read_fragment(d, *c);
  const auto value = [](const Fragment& f, size_t pair, u32 lane) {
    return u64{f[2 * pair + 1][lane]} << 32 | f[2 * pair][lane];
  };
  Fragment out = fc;
  for (u32 row = 0; row < 8; ++row)
    for (u32 column = 0; column < 8; ++column) {
      const u32 lane = row * 4 + column / 2;
      const size_t pair = column % 2;
      u64 sum = value(fc, pair, lane);
      for (u32 k = 0; k < 4; ++k)
        sum = ieee::multiply_add(ieee::kDouble, value(fa, 0, row * 4 + k),
                                 value(fb, 0, column * 4 + k), sum, *mode);
      out[2 * pair][lane] = static_cast<u32>(sum);
      out[2 * pair + 1][lane] = static_cast<u32>(sum >> 32);
    }
  const Operand& dst = *in.find(Role::kDst);
  for (u32 i = 0; i < dst.width; ++i) write_word(d, dst, out[i], i);
  return true;
}

// The 16-bit element (row, column) of an 8 by 8 matrix held one row per four lanes.
[[nodiscard]] inline u32 element_of(const Lanes<u32>& matrix, u32 row, u32 column) {
  return matrix[row * 4 + column / 2] >> (column % 2 * 16) & 0xffff;
}
[[nodiscard]] inline Lanes<u32> transpose_8x8(const Lanes<u32>& matrix) {
  Lanes<u32> out;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const u32 row = lane / 4, column = lane % 4 * 2;
    out[lane] = element_of(matrix, column, row) | element_of(matrix, column + 1, row) << 16;
  }
  return out;
}

// MOVM.16.MT88: transposes.
template <ConcreteDomain D>
bool move_matrix(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kA);
  if (!is_fragment(a) || !in.has(Field::kTranspose, Value::kMT88)) return false;
  write_word(d, *in.find(Role::kDst), transpose_8x8(read_raw_word(d, *a)));
  return true;
}

}  // namespace picker::semantics
