// The value domain of ThreadWalk: words that are known, or not.
#pragma once

#include <optional>

#include "support/types.hpp"

namespace picker::validate {

// A bit pattern of up to 64 bits that is known or not known at all.
template <typename T>
struct Known {
  T value{};
  bool known = false;
};

template <typename T>
[[nodiscard]] inline Known<T> known(T value) {
  return {value, true};
}

// The result of `f` on known operands; unknown if either is not.
template <typename R, typename A, typename B, typename F>
[[nodiscard]] inline Known<R> lift(Known<A> a, Known<B> b, F f) {
  if (!a.known || !b.known) return {};
  return {static_cast<R>(f(a.value, b.value)), true};
}

template <typename R, typename A, typename F>
[[nodiscard]] inline Known<R> lift(Known<A> a, F f) {
  if (!a.known) return {};
  return {static_cast<R>(f(a.value)), true};
}

}  // namespace picker::validate
