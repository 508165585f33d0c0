#include "tools/command.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace picker::tools {

int report(const Diagnostic& diagnostic) {
  std::fputs(fmt::format("picker: {}\n", printable(diagnostic.message)).c_str(), stderr);
  switch (diagnostic.kind) {
    case ErrorKind::kUsage:
      return kExitUsage;
    case ErrorKind::kMalformed:
      return kExitMalformed;
    case ErrorKind::kUnsupported:
      return kExitUnsupported;
  }
  return kExitMalformed;
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return result;
}

int write_out(std::string_view text, int status) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return report({ErrorKind::kMalformed, "standard output cannot be written"});
  return status;
}

int write_json(const Json& json, int status) {
  return write_out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", status);
}

std::string hex(u64 value) { return fmt::format("0x{:x}", value); }

std::string strong(const Global& global, std::string_view text) {
  return global.color ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
}

}  // namespace picker::tools
