// What went wrong with an input, for a person: one sentence that says what, where and what was
// expected instead. Errors travel as `Expected<T>`; exceptions are not used for them.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "support/types.hpp"

namespace picker {

// The kind of failure; the command line maps it to an exit status (docs/command-line.md).
enum class ErrorKind : u8 {
  kUsage,        // the request itself is wrong: no such kernel, wrong number of arguments
  kMalformed,    // the input cannot be read or breaks its own format
  kUnsupported,  // well-formed, but of an architecture or format version picker does not handle
};

// Thread-safe as any value type. Owns its text.
struct Diagnostic {
  ErrorKind kind = ErrorKind::kMalformed;
  std::string message;  // without a trailing full stop or newline

  // The same failure seen from one level further out: "WHERE: message".
  [[nodiscard]] Diagnostic in(std::string_view where) const;
};

template <typename T>
using Expected = std::expected<T, Diagnostic>;

[[nodiscard]] std::unexpected<Diagnostic> usage_error(std::string message);
[[nodiscard]] std::unexpected<Diagnostic> malformed(std::string message);
[[nodiscard]] std::unexpected<Diagnostic> unsupported(std::string message);

}  // namespace picker
