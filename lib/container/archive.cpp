#include "container/archive.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace picker::container {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr u64 kHeaderSize = 60;

std::string_view text_of(Slice bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool starts_with(Slice bytes, std::string_view magic) {
  const std::optional<Slice> begin = bytes.sub(0, magic.size());
  return begin && text_of(*begin) == magic;
}

std::string_view trimmed(std::string_view field) {
  return field.substr(0, field.find_last_not_of(' ') + 1);
}

std::optional<u64> decimal(std::string_view field) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

}  // namespace

bool has_archive_magic(Slice bytes) {
  return starts_with(bytes, kMagic) || starts_with(bytes, kThinMagic);
}

Expected<std::vector<ArchiveMember>> parse_archive(Slice bytes) {
  if (starts_with(bytes, kThinMagic))
    return unsupported("thin archive: its members are in other files");
  std::vector<ArchiveMember> members;
  std::string_view long_names;
  u64 offset = kMagic.size();
  while (offset < bytes.size()) {
    const auto fail = [&](std::string_view what) {
      return malformed(fmt::format("archive member at offset 0x{:x}: {}", offset, what));
    };
    const std::optional<Slice> header = bytes.sub(offset, kHeaderSize);
    if (!header) return fail("header is cut short");
    const std::string_view text = text_of(*header);
    if (text.substr(58, 2) != "`\n") return fail("header does not end as one");
    const std::optional<u64> size = decimal(trimmed(text.substr(48, 10)));
    const std::optional<Slice> content =
        size ? bytes.sub(offset + kHeaderSize, *size) : std::nullopt;
    if (!content) return fail("size is not a number or exceeds the archive");

    std::string_view name = trimmed(text.substr(0, 16));
    if (name == "//") {
      long_names = text_of(*content);
    } else if (name != "/" && name != "/SYM64/") {
      if (name.starts_with('/')) {
        const std::optional<u64> at = decimal(name.substr(1));
        if (!at || *at >= long_names.size()) return fail("name lies outside the table of names");
        name = long_names.substr(*at);
        name = name.substr(0, name.find('\n'));
      }
      if (name.ends_with('/')) name.remove_suffix(1);
      members.push_back({std::string(name), *content});
    }
    offset += kHeaderSize + *size;
    offset += offset % 2;
  }
  return members;
}

}  // namespace picker::container
