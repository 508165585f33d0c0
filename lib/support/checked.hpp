// Integer arithmetic that reports overflow instead of wrapping.
#pragma once

#include <optional>

#include "support/types.hpp"

namespace picker {

template <typename T>
[[nodiscard]] inline std::optional<T> checked_add(T a, T b) {
  T r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}

template <typename T>
[[nodiscard]] inline std::optional<T> checked_sub(T a, T b) {
  T r;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}

template <typename T>
[[nodiscard]] inline std::optional<T> checked_mul(T a, T b) {
  T r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

}  // namespace picker
