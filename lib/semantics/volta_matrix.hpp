// HMMA.884: the matrix product of Volta, in steps.
//
// A warp is eight quads of lanes; lanes 4q .. 4q+3 and 16+4q .. 16+4q+3 form *quad pair* q (four of
// them), and each pair multiplies matrices of its own: 8 by 4 with 4 by 8. Source: PTX ISA, "Matrix
// fragments for mma.m8n8k4". Let low be lane % 4 and high 4 in the pair's upper quad, else 0; a
// register pair of A or B holds four halves i = 0 .. 3:
//   A by rows     row low + high, k = i          A by columns  row i + high, k = low
//   B by rows     k = low, column i + high       B by columns  k = i, column low + high
//   half sums     row low + high, column i (0 .. 7)
//   single sums   row (lane & 1) + (i & 2) + high, column (i & 4) + (lane & 2) + (i & 1)
// The assembler splits the product of PTX by accumulator registers: STEPn computes the n-th pair.
// With half sums there are two steps, with single sums four; single results from half addends take
// the first pair of addends in steps 0 and 1 and the second in 2 and 3. (Seen in what ptxas 12.9
// makes of mma.m8n8k4 in all its types.) Rounding as in matrix.hpp.
#pragma once

#include "semantics/matrix.hpp"

namespace picker::semantics {

template <ConcreteDomain D>
bool volta_matrix(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const Operand* dst = in.find(Role::kDst);
  if (dst == nullptr || !is_fragment(a) || !is_fragment(b) || !is_fragment(c) || a->width != 2 ||
      b->width != 2 || c->width != 2 || dst->width != 2)
    return false;
  const bool narrow = in.has(Field::kAccType, Value::kF16);
  const bool narrow_addend = in.has(Field::kType, Value::kF16);
  if ((!narrow && !in.has(Field::kAccType, Value::kF32)) ||
      (!narrow_addend && !in.has(Field::kType, Value::kF32)) || (narrow && !narrow_addend))
    return false;
  const bool a_by_rows = in.has(Field::kLayout, Value::kROW);
  const bool b_by_rows = in.has(Field::kLayoutB, Value::kROW);
  if ((!a_by_rows && !in.has(Field::kLayout, Value::kCOL)) ||
      (!b_by_rows && !in.has(Field::kLayoutB, Value::kCOL)))
    return false;
  u32 step = 0;
  if (in.has(Field::kStep, Value::kSTEP1))
    step = 1;
  else if (in.has(Field::kStep, Value::kSTEP2))
    step = 2;
  else if (in.has(Field::kStep, Value::kSTEP3))
    step = 3;
  else if (!in.has(Field::kStep, Value::kSTEP0))
    return false;
  if (narrow && step > 1) return false;

  const Fragment fa = read_fragment(d, *a), fb = read_fragment(d, *b), fc = read_fragment(d, *c);
  const auto half = [](const Fragment& f, u32 lane, u32 i) {
    return f[i / 2][lane] >> (i % 2 * 16) & 0xffff;
  };
  const auto single = [](u32 bits) {
    return static_cast<u32>(ieee::convert(ieee::kHalf, ieee::kSingle, bits, {}));
  };
  // The lane of quad pair `pair` whose place in its quad is `low`, in the upper quad if `high`.
  const auto lane_of = [](u32 pair, u32 low, bool high) {
    return pair * 4 + low + (high ? 16 : 0);
  };
  const auto factor = [&](const Fragment& f, bool along_k, u32 pair, u32 line, u32 k) {
    const u32 low = along_k ? line % 4 : k, i = along_k ? k : line % 4;
    const u32 bits = single(half(f, lane_of(pair, low, line >= 4), i));
    return static_cast<double>(std::bit_cast<float>(bits));
  };
  Fragment out = fc;
  for (u32 pair = 0; pair < 4; ++pair)
    for (u32 place = 0; place < 8; ++place) {
      const u32 low = place % 4;
      const bool high = place >= 4;
      const u32 lane = lane_of(pair, low, high);
      for (u32 j = 0; j < (narrow ? 4u : 2u); ++j) {
        u32 row = low + (high ? 4 : 0), column = step * 4 + j;
        if (!narrow) {
          const u32 i = step * 2 + j;
          row = (low & 1) + (i & 2) + (high ? 4 : 0);
          column = (i & 4) + (low & 2) + (i & 1);
        }
        const u32 addend = narrow_addend
                               ? single(half(fc, lane_of(pair, row % 4, row >= 4), column % 4))
                               : fc[j][lane];
        double sum = std::bit_cast<float>(addend);
        for (u32 k = 0; k < 4; ++k)
          sum += factor(fa, a_by_rows, pair, row, k) * factor(fb, !b_by_rows, pair, column, k);
        const u64 pattern = std::bit_cast<u64>(sum);
        if (narrow) {
          const u32 h = static_cast<u32>(ieee::convert(ieee::kDouble, ieee::kHalf, pattern, {}));
          u32& word = out[j / 2][lane];
          word = (word & ~(u32{0xffff} << (j % 2 * 16))) | h << (j % 2 * 16);
        } else {
          out[j][lane] = static_cast<u32>(ieee::convert(ieee::kDouble, ieee::kSingle, pattern, {}));
        }
      }
    }
  for (u32 i = 0; i < 2; ++i) write_word(d, *dst, out[i], i);
  return true;
}

}  // namespace picker::semantics
