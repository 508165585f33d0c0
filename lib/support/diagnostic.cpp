#include "support/diagnostic.hpp"

#include <fmt/format.h>

namespace picker {

Diagnostic Diagnostic::in(std::string_view where) const {
  return {kind, fmt::format("{}: {}", where, message)};
}

std::unexpected<Diagnostic> usage_error(std::string message) {
  return std::unexpected(Diagnostic{ErrorKind::kUsage, std::move(message)});
}
std::unexpected<Diagnostic> malformed(std::string message) {
  return std::unexpected(Diagnostic{ErrorKind::kMalformed, std::move(message)});
}
std::unexpected<Diagnostic> unsupported(std::string message) {
  return std::unexpected(Diagnostic{ErrorKind::kUnsupported, std::move(message)});
}

}  // namespace picker
