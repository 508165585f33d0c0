// Builds small ELF files by hand, for tests that need a file no compiler would write.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "support/types.hpp"

namespace picker::test {

using Bytes = std::vector<u8>;

template <typename T>
void append(Bytes& bytes, T value) {
  const u8* raw = reinterpret_cast<const u8*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

struct BuiltSection {
  std::string name;
  u32 type = 1;
  Bytes content;
  u32 link = 0;
  u32 info = 0;
  u64 entry_size = 0;
};

struct BuiltSymbol {
  std::string name;
  u8 info = 0;
  u8 other = 0;
  u16 section = 0;
  u64 value = 0;
  u64 size = 0;
};

// Sections get indices 1, 2, ... in the order given; then follow .symtab, .strtab and .shstrtab.
struct ElfBuilder {
  u8 os_abi = 0x41;
  u8 abi_version = 8;
  u16 type = 2;
  u16 machine = 190;
  u32 flags = 0x5004;  // sm_80 in the new flavour
  std::vector<BuiltSection> sections;
  std::vector<BuiltSymbol> symbols;  // symbol 0 is added in front

  [[nodiscard]] Bytes build() const {
    std::vector<BuiltSection> all = sections;
    const u32 strings_index = static_cast<u32>(sections.size()) + 2;
    Bytes table(24, 0);
    Bytes strings(1, 0);
    for (const BuiltSymbol& symbol : symbols) {
      append<u32>(table, static_cast<u32>(strings.size()));
      append<u8>(table, symbol.info);
      append<u8>(table, symbol.other);
      append<u16>(table, symbol.section);
      append<u64>(table, symbol.value);
      append<u64>(table, symbol.size);
      strings.insert(strings.end(), symbol.name.begin(), symbol.name.end());
      strings.push_back(0);
    }
    all.push_back({".symtab", 2, table, strings_index, 1, 24});
    all.push_back({".strtab", 3, strings, 0, 0, 0});
    all.push_back({".shstrtab", 3, {}, 0, 0, 0});
    Bytes names(1, 0);
    std::vector<u32> name_offsets;
    for (const BuiltSection& section : all) {
      name_offsets.push_back(static_cast<u32>(names.size()));
      names.insert(names.end(), section.name.begin(), section.name.end());
      names.push_back(0);
    }
    all.back().content = names;

    Bytes file = {0x7f, 'E', 'L', 'F', 2, 1, 1, os_abi, abi_version, 0, 0, 0, 0, 0, 0, 0};
    append<u16>(file, type);
    append<u16>(file, machine);
    append<u32>(file, 1);
    append<u64>(file, 0);
    append<u64>(file, 0);
    append<u64>(file, 64);  // the section headers follow the file header
    append<u32>(file, flags);
    append<u16>(file, 64);
    append<u16>(file, 56);
    append<u16>(file, 0);
    append<u16>(file, 64);
    append<u16>(file, static_cast<u16>(all.size() + 1));
    append<u16>(file, static_cast<u16>(all.size()));
    Bytes headers(64, 0);
    Bytes contents;
    const u64 contents_offset = 64 + 64 * (all.size() + 1);
    for (size_t i = 0; i < all.size(); ++i) {
      append<u32>(headers, name_offsets[i]);
      append<u32>(headers, all[i].type);
      append<u64>(headers, 0);
      append<u64>(headers, 0);
      append<u64>(headers, contents_offset + contents.size());
      append<u64>(headers, all[i].content.size());
      append<u32>(headers, all[i].link);
      append<u32>(headers, all[i].info);
      append<u64>(headers, 1);
      append<u64>(headers, all[i].entry_size);
      contents.insert(contents.end(), all[i].content.begin(), all[i].content.end());
    }
    file.insert(file.end(), headers.begin(), headers.end());
    file.insert(file.end(), contents.begin(), contents.end());
    return file;
  }
};

// An attribute record with a payload (format 4).
inline void append_attribute(Bytes& stream, u8 number, const std::vector<u32>& words) {
  append<u8>(stream, 4);
  append<u8>(stream, number);
  append<u16>(stream, static_cast<u16>(words.size() * 4));
  for (const u32 word : words) append<u32>(stream, word);
}

// A cubin with one kernel "k" of two instructions and two parameters (8 and 4 bytes):
// section 1 .text.k, 2 .nv.info.k, 3 .nv.constant0.k; symbol 1 is k, 2 the constant bank.
inline ElfBuilder one_kernel() {
  ElfBuilder elf;
  Bytes info;
  append_attribute(info, 0x0a, {2, 0x000c0160});
  append_attribute(info, 0x17, {0, 0x00080001, (4u << 18) | 0x1f000});
  append_attribute(info, 0x17, {0, 0x00000000, (8u << 18) | 0x1f000});
  append_attribute(info, 0x1c, {0x10});
  elf.sections = {{".text.k", 1, Bytes(32, 0), 0, 0, 0},
                  {".nv.info.k", 0x70000000, info, 0, 1, 0},
                  {".nv.constant0.k", 1, Bytes(0x16c, 0), 0, 1, 0}};
  elf.symbols = {{"k", 0x12, 0x10, 1, 0, 32}, {"", 0x03, 0, 3, 0, 0}};
  return elf;
}

}  // namespace picker::test
