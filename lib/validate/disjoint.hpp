// Whether two pieces can touch a common byte.
//
// Two accesses a and b (start addresses, of w_a and w_b bytes) meet exactly if
//     -(w_a - 1) <= a - b <= w_b - 1.
// Both starts are sums of coefficients times independent bounded integers, so the question is
// whether one integer equation  d + sum c_i * y_i  in a small interval has a solution in a box.
// All y_i are shifted and turned so that c_i > 0 and y_i >= 0, and dimensions of equal coefficients
// are merged (their sum takes every value in between). Then, from the largest coefficient down,
// only values of y_i are tried for which the remaining dimensions can still make up the difference:
// if larger strides step over everything that smaller ones reach, as in rows of a matrix, that is
// one or two values per level. On each level the greatest common divisor of the remaining
// coefficients must hit the interval. This subsumes the gcd test and the per-dimension test of
// linear memory access descriptors (Paek, Hoeflinger and Padua, "Efficient and precise array access
// analysis", TOPLAS 2002), and is exact for the box unless its budget runs out. Then, and wherever
// the box holds values that do not occur, it errs towards "they may meet".
#pragma once

#include "validate/footprint.hpp"

namespace picker::validate {

// True only if no access of `a` shares a byte with an access of `b`.
[[nodiscard]] bool provably_disjoint(const AccessPiece& a, const AccessPiece& b);

}  // namespace picker::validate
