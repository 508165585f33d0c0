// Functions of the system that compiled code calls: printf, failed assertions, the device heap.
//
// They are symbols without code (Program::foreign_function). Arguments come in registers from R4
// on, pairs for pointers; the result goes to R4; the return address lies in R20 and R21. This is
// the calling convention that compiled callers of every family show. vprintf(format, arguments)
// takes the arguments from a buffer in local memory, each at a multiple of its size: 4 bytes for an
// int, 8 for a long long, a double or a pointer. Source: CUDA C++ Programming Guide, "Formatted
// Output" and "Assertion"; PTX Writers' Guide to Interoperability, "System Calls".
//
// What is read here (texts and the buffer) is read by the system and recorded nowhere: texts are
// constants of the module.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "emulator/warp.hpp"

namespace picker::emulator {

namespace {

constexpr u32 kFirstArgument = 4, kReturnAddress = 20;
constexpr size_t kMostText = 4096;                // bytes of one string
constexpr size_t kMostPrinted = size_t{1} << 20;  // bytes of a launch's output kept
constexpr int kMostWidth = 512;

// One conversion of a format, from its % on.
struct Conversion {
  std::string flags;
  std::optional<int> width, precision;
  bool width_is_argument = false, precision_is_argument = false;
  bool is_long = false;  // 8 bytes
  char what = 0;         // 0: the text ends before it does
};

// Moves `at` behind the conversion.
Conversion parse_conversion(std::string_view format, size_t& at) {
  Conversion c;
  const auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
  const auto number = [&] {
    int n = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at) n = std::min(n * 10 + (peek() - '0'), kMostWidth);
    return n;
  };
  ++at;
  for (; peek() != '\0' && std::string_view("-+ #0").contains(peek()); ++at) c.flags += peek();
  if (peek() == '*') {
    c.width_is_argument = true;
    ++at;
  } else if (peek() >= '1' && peek() <= '9') {
    c.width = number();
  }
  if (peek() == '.') {
    ++at;
    if (peek() == '*') {
      c.precision_is_argument = true;
      ++at;
    } else {
      c.precision = number();
    }
  }
  for (; peek() != '\0' && std::string_view("hljztL").contains(peek()); ++at)
    if (peek() == 'l' || peek() == 'j' || peek() == 'z' || peek() == 't') c.is_long = true;
  c.what = peek();
  if (c.what != '\0') ++at;
  return c;
}

// The text of `value`, by the host's printf. `length`: "" or "ll".
template <class T>
std::string converted(const Conversion& c, const char* length, T value) {
  std::string spec = "%" + c.flags;
  if (c.width) spec += std::to_string(*c.width);
  if (c.precision) spec += "." + std::to_string(*c.precision);
  spec += length;
  spec += c.what;
  char buffer[2 * kMostWidth + 512] = {};
  const int size = std::snprintf(buffer, sizeof(buffer), spec.c_str(), value);
  return size < 0 ? std::string() : std::string(buffer);
}

}  // namespace

// Bytes at a generic address, for the system's functions.
bool Warp::read_for_system(u32 lane, u64 address, std::span<u8> to) {
  if (address - kSharedWindow < kWindowBytes || address - kLocalWindow < kWindowBytes) {
    const bool shared = address - kSharedWindow < kWindowBytes;
    for (size_t i = 0; i < to.size(); ++i) {
      u8* from = nullptr;
      if (!narrow_bytes(shared ? Target::kShared : Target::kLocal, lane,
                        address + i - (shared ? kSharedWindow : kLocalWindow), 1, from))
        return false;
      to[i] = *from;
    }
    return true;
  }
  if (!shared_.memory.accessible(address, to.size())) {
    fault(MemoryFault::kOutOfBounds, lane, address, static_cast<u32>(to.size()), "global");
    return false;
  }
  shared_.memory.read(address, to);
  return true;
}

std::optional<std::string> Warp::read_text(u32 lane, u64 address) {
  std::string text;
  for (u8 c = 0; text.size() < kMostText; text += static_cast<char>(c)) {
    if (!read_for_system(lane, address + text.size(), {&c, 1})) return std::nullopt;
    if (c == 0) return text;
  }
  return text;
}

// The number of arguments that were printed, or nothing if the run has ended.
std::optional<u32> Warp::print(u32 lane, const std::string& format, u64 arguments) {
  std::string out;
  u32 count = 0;
  const auto next = [&](u32 bytes) -> std::optional<u64> {
    arguments = (arguments + bytes - 1) / bytes * bytes;
    std::array<u8, 8> raw{};
    if (!read_for_system(lane, arguments, std::span(raw).first(bytes))) return std::nullopt;
    arguments += bytes;
    u64 x = 0;
    std::memcpy(&x, raw.data(), 8);
    return x;
  };
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    if (at + 1 < format.size() && format[at + 1] == '%') {
      out += '%';
      at += 2;
      continue;
    }
    const size_t start = at;
    Conversion c = parse_conversion(format, at);
    for (auto [given, value] : {std::pair(c.width_is_argument, &c.width),
                                std::pair(c.precision_is_argument, &c.precision)}) {
      if (!given) continue;
      const std::optional<u64> x = next(4);
      if (!x) return std::nullopt;
      const i32 n = static_cast<i32>(static_cast<u32>(*x));
      if (n < 0 && value == &c.width) c.flags += '-';
      if (n >= 0 || value == &c.width) *value = std::min(n < 0 ? -n : n, kMostWidth);
    }
    const bool is_float = c.what != 0 && std::string_view("fFeEgGaA").contains(c.what);
    const bool is_pointer = c.what == 'p' || c.what == 's';
    const bool is_signed = c.what == 'd' || c.what == 'i';
    const bool is_unsigned = c.what != 0 && std::string_view("uxXo").contains(c.what);
    if (!is_float && !is_pointer && !is_signed && !is_unsigned && c.what != 'c') {
      out += format.substr(start, at - start);  // not a conversion: as it stands
      continue;
    }
    const std::optional<u64> x = next(is_float || is_pointer || c.is_long ? 8 : 4);
    if (!x) return std::nullopt;
    ++count;
    if (is_float) {
      double value = 0;
      std::memcpy(&value, &*x, 8);
      out += converted(c, "", value);
    } else if (c.what == 's') {
      const std::optional<std::string> text = read_text(lane, *x);
      if (!text) return std::nullopt;
      out += converted(c, "", text->c_str());
    } else if (c.what == 'p') {
      out += fmt::format("{:#x}", *x);
    } else if (c.what == 'c') {
      out += converted(c, "", static_cast<int>(*x & 0xff));
    } else if (is_signed) {
      const i64 value = c.is_long ? static_cast<i64>(*x) : i64{static_cast<i32>(*x)};
      out += converted(c, "ll", static_cast<long long>(value));
    } else {
      out += converted(c, "ll", static_cast<unsigned long long>(*x));
    }
  }
  std::string& all = shared_.printed;
  all += out.substr(0, kMostPrinted - std::min(all.size(), kMostPrinted));
  return count;
}

void Warp::call_system(const std::string& name, u32 lane) {
  const auto argument = [&](u32 n) { return reg(static_cast<u8>(kFirstArgument + n))[lane]; };
  const auto pointer = [&](u32 n) { return u64{argument(n + 1)} << 32 | argument(n); };
  if (name == "__assertfail") {
    const auto message = read_text(lane, pointer(0));
    const auto file = message ? read_text(lane, pointer(2)) : std::nullopt;
    const auto function = file ? read_text(lane, pointer(6)) : std::nullopt;
    if (!function) return;
    return stop(
        End::kFault,
        fmt::format("assertion failed: {}:{}: {}: {}", *file, argument(4), *function, *message),
        lane);
  }
  if (name == "malloc" || name == "free")
    return stop(End::kUnmodelled, fmt::format("the heap of the device ({}) is not modelled", name),
                lane);
  if (name != "vprintf")
    return stop(End::kUnmodelled, fmt::format("calls the system's function {}", name), lane);
  const auto format = read_text(lane, pointer(0));
  const auto count = format ? print(lane, *format, pointer(2)) : std::nullopt;
  if (!count) return;
  regs_[kFirstArgument][lane] = *count;
  const u64 back = u64{regs_[kReturnAddress + 1][lane]} << 32 | regs_[kReturnAddress][lane];
  if (back < kCodeBase || shared_.program.at(back - kCodeBase) == nullptr)
    return stop(End::kUnmodelled, fmt::format("a return address of {:#x}", back), lane);
  lane_pc_[lane] = back - kCodeBase;
}

}  // namespace picker::emulator
