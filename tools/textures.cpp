#include "tools/textures.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/command.hpp"

namespace picker::tools {
namespace {

using emulator::Addressing;
using emulator::ElementType;
using emulator::Image;

constexpr u32 kMostElements = 1u << 16;  // per axis

struct TypeName {
  std::string_view name;
  ElementType type;
};
constexpr TypeName kTypes[] = {
    {"f32", ElementType::kFloat},      {"f16", ElementType::kHalf},
    {"u8", ElementType::kUnsigned8},   {"s8", ElementType::kSigned8},
    {"u16", ElementType::kUnsigned16}, {"s16", ElementType::kSigned16},
    {"u32", ElementType::kWord},       {"s32", ElementType::kWord},
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::optional<u64> number(const std::string& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  char* end = nullptr;
  const u64 x = std::strtoull(text.c_str(), &end, 0);
  return end == text.c_str() + text.size() ? std::optional(x) : std::nullopt;
}

}  // namespace

Expected<Image> parse_texture(const std::string& text) {
  const auto bad = [&](std::string_view what) {
    return usage_error(fmt::format("--texture {}: {}", text, what));
  };
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 4) return bad("expected HANDLE:ADDRESS:TYPE:SIZE");
  Image image;
  const std::optional<u64> handle = number(parts[0]), address = number(parts[1]);
  if (!handle || *handle > ~u32{0}) return bad("the handle is not a number below 2^32");
  if (!address) return bad("the address is not a whole number");
  image.handle = static_cast<u32>(*handle);
  image.address = *address;
  const std::vector<std::string> type = split(parts[2], 'x');
  const TypeName* known = nullptr;
  for (const TypeName& entry : kTypes)
    if (entry.name == type[0]) known = &entry;
  const std::optional<u64> channels = type.size() == 2 ? number(type[1]) : std::optional<u64>(1);
  if (known == nullptr || type.size() > 2 || !channels ||
      (*channels != 1 && *channels != 2 && *channels != 4))
    return bad("the type is f32, f16, u8, s8, u16, s16, u32 or s32, with x2 or x4 for channels");
  image.type = known->type;
  image.channels = static_cast<u32>(*channels);
  const std::vector<std::string> sizes = split(parts[3], 'x');
  if (sizes.size() > 3) return bad("at most three axes");
  image.axes = static_cast<u32>(sizes.size());
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::optional<u64> n = number(sizes[axis]);
    const u64 most = sizes.size() == 1 ? u64{1} << 27 : kMostElements;
    if (!n || *n == 0 || *n > most) return bad("a size is not a number from 1 to the limit");
    image.size[axis] = static_cast<u32>(*n);
  }
  image.pitch = u64{image.size[0]} * image.element_bytes();
  for (size_t i = 4; i < parts.size(); ++i) {
    const std::string& option = parts[i];
    if (option == "linear") {
      image.linear = true;
    } else if (option == "clamp") {
      image.addressing = Addressing::kClamp;
    } else if (option == "border") {
      image.addressing = Addressing::kBorder;
    } else if (option == "wrap") {
      image.addressing = Addressing::kWrap;
    } else if (option == "normalized") {
      image.normalized_coordinates = true;
    } else if (option == "unorm") {
      image.normalized_values = true;
    } else if (option.starts_with("pitch=")) {
      const std::optional<u64> pitch = number(option.substr(6));
      if (!pitch || *pitch < image.pitch || *pitch % image.element_bytes() != 0 ||
          *pitch > u64{1} << 32)
        return bad("the pitch is no multiple of an element that holds a row");
      image.pitch = *pitch;
    } else {
      return bad(fmt::format("no option '{}'", option));
    }
  }
  const bool is_float = image.type == ElementType::kFloat || image.type == ElementType::kHalf;
  if (image.normalized_values && (is_float || image.type == ElementType::kWord))
    return bad("unorm is for 8- and 16-bit integers");
  if (image.linear && !is_float && !image.normalized_values)
    return bad("linear is for textures that give floats");
  if (image.addressing == Addressing::kWrap && !image.normalized_coordinates)
    return bad("wrap is for normalized coordinates");
  return image;
}

}  // namespace picker::tools
