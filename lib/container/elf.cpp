#include "container/elf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/checked.hpp"

namespace picker::container {
namespace {

// On-disk layouts (gABI). All fields are naturally aligned, so the structs have no padding.
struct FileHeader {
  u8 ident[16];
  u16 type, machine;
  u32 version;
  u64 entry, program_offset, section_offset;
  u32 flags;
  u16 header_size, program_entry_size, program_count, section_entry_size, section_count,
      section_names;
};
static_assert(sizeof(FileHeader) == 64);

struct SectionHeader {
  u32 name, type;
  u64 flags, address, offset, size;
  u32 link, info;
  u64 alignment, entry_size;
};
static_assert(sizeof(SectionHeader) == 64);

struct SymbolEntry {
  u32 name;
  u8 info, other;
  u16 section;
  u64 value, size;
};
static_assert(sizeof(SymbolEntry) == 24);

struct RelEntry {
  u64 offset, info;
};
struct RelaEntry {
  u64 offset, info;
  i64 addend;
};

constexpr u16 kExtendedIndex = 0xffff;  // SHN_XINDEX: the real number is stored elsewhere

// Sections that only reserve memory. Relocatable cubins use types of their own for them: global,
// local, shared and reserved shared memory.
bool occupies_no_file(u16 machine, u32 type) {
  if (type == kSectionNoBits) return true;
  if (machine != kMachineCuda) return false;
  return type == 0x70000007 || type == 0x70000009 || type == 0x7000000a || type == 0x70000015;
}

SymbolKind kind_of(u8 info) {
  switch (info & 0xf) {
    case 0:
      return SymbolKind::kNone;
    case 1:
      return SymbolKind::kObject;
    case 2:
      return SymbolKind::kFunction;
    case 3:
      return SymbolKind::kSection;
    case 4:
      return SymbolKind::kFile;
    default:
      return SymbolKind::kOther;
  }
}

SymbolBinding binding_of(u8 info) {
  switch (info >> 4) {
    case 0:
      return SymbolBinding::kLocal;
    case 1:
      return SymbolBinding::kGlobal;
    case 2:
      return SymbolBinding::kWeak;
    default:
      return SymbolBinding::kOther;
  }
}

}  // namespace

bool Elf::has_magic(Slice file) {
  return file.read<u32>(0) == std::optional<u32>(0x464c457f);  // "\x7fELF"
}

Expected<Elf> Elf::parse(Slice file) {
  if (!has_magic(file)) return malformed("not an ELF file: no ELF magic at offset 0x0");
  const std::optional<FileHeader> header = file.read<FileHeader>(0);
  if (!header)
    return malformed(fmt::format("ELF header truncated: {} bytes, expected at least {}",
                                 file.size(), sizeof(FileHeader)));
  if (header->ident[4] != 2 || header->ident[5] != 1)
    return malformed(fmt::format(
        "ELF class {} and byte order {} at offset 0x4: expected 64-bit little-endian (2 and 1)",
        header->ident[4], header->ident[5]));

  Elf elf;
  elf.type_ = header->type;
  elf.machine_ = header->machine;
  elf.flags_ = header->flags;
  elf.os_abi_ = header->ident[7];
  elf.abi_version_ = header->ident[8];
  elf.extent_ = sizeof(FileHeader);
  if (header->program_count != 0) {
    const u64 size = u64{header->program_count} * header->program_entry_size;
    if (!file.sub(header->program_offset, size))
      return malformed(fmt::format(
          "ELF program headers at offset 0x{:x} with {} bytes lie outside the file ({} bytes)",
          header->program_offset, size, file.size()));
    elf.extent_ = std::max(elf.extent_, header->program_offset + size);
  }
  if (header->section_offset == 0) return elf;  // no sections at all: legal
  if (header->section_entry_size != sizeof(SectionHeader))
    return malformed(fmt::format("ELF section header size {} at offset 0x3a: expected {}",
                                 header->section_entry_size, sizeof(SectionHeader)));

  // More than 0xfeff sections: the counts overflow into section 0 (gABI, "Extended section
  // header").
  u64 count = header->section_count;
  u64 names_index = header->section_names;
  const std::optional<SectionHeader> first = file.read<SectionHeader>(header->section_offset);
  if (!first)
    return malformed(
        fmt::format("ELF section table at offset 0x{:x} lies outside the file ({} bytes)",
                    header->section_offset, file.size()));
  if (count == 0) count = first->size;
  if (names_index == kExtendedIndex) names_index = first->link;

  const std::optional<u64> table_size = checked_mul<u64>(count, sizeof(SectionHeader));
  const std::optional<Slice> table =
      table_size ? file.sub(header->section_offset, *table_size) : std::nullopt;
  if (!table)
    return malformed(fmt::format(
        "ELF section table at offset 0x{:x} with {} entries lies outside the file ({} bytes)",
        header->section_offset, count, file.size()));
  elf.extent_ = std::max(elf.extent_, header->section_offset + *table_size);

  std::vector<u32> name_offsets;
  elf.sections_.reserve(count);
  name_offsets.reserve(count);
  for (u64 i = 0; i < count; ++i) {
    const SectionHeader raw = *table->read<SectionHeader>(i * sizeof(SectionHeader));
    Section section;
    section.type = raw.type;
    section.flags = raw.flags;
    section.address = raw.address;
    section.offset = raw.offset;
    section.size = raw.size;
    section.link = raw.link;
    section.info = raw.info;
    section.entry_size = raw.entry_size;
    if (i != 0 && !occupies_no_file(elf.machine_, raw.type)) {
      const std::optional<Slice> content = file.sub(raw.offset, raw.size);
      if (!content)
        return malformed(
            fmt::format("ELF section {} (offset 0x{:x}, {} bytes) lies outside the file ({} bytes)",
                        i, raw.offset, raw.size, file.size()));
      section.content = *content;
      elf.extent_ = std::max(elf.extent_, raw.offset + raw.size);
    }
    elf.sections_.push_back(section);
    name_offsets.push_back(raw.name);
  }
  if (names_index == 0) return elf;  // sections without names: legal
  if (names_index >= count)
    return malformed(
        fmt::format("ELF section name table {} does not exist: {} sections", names_index, count));
  const Slice names = elf.sections_[names_index].content;
  for (u64 i = 1; i < count; ++i) {
    const std::optional<std::string_view> name = names.c_string(name_offsets[i]);
    if (!name)
      return malformed(fmt::format("ELF section {}: name at 0x{:x} lies outside the name table", i,
                                   name_offsets[i]));
    elf.sections_[i].name = *name;
  }
  return elf;
}

const Section* Elf::find(std::string_view name) const {
  for (const Section& section : sections_)
    if (section.name == name) return &section;
  return nullptr;
}

Expected<std::vector<Symbol>> Elf::symbols() const {
  const auto table = std::find_if(sections_.begin(), sections_.end(), [](const Section& section) {
    return section.type == kSectionSymbolTable;
  });
  if (table == sections_.end()) return std::vector<Symbol>();
  const u64 table_index = table - sections_.begin();
  if (table->content.size() % sizeof(SymbolEntry) != 0)
    return malformed(fmt::format("ELF symbol table: {} bytes are not a multiple of {}",
                                 table->content.size(), sizeof(SymbolEntry)));
  if (table->link >= sections_.size())
    return malformed(fmt::format("ELF symbol table: string table {} does not exist", table->link));
  const Slice names = sections_[table->link].content;
  Slice extended;
  for (const Section& section : sections_)
    if (section.type == kSectionSymbolIndices && section.link == table_index)
      extended = section.content;

  const u64 count = table->content.size() / sizeof(SymbolEntry);
  std::vector<Symbol> symbols;
  symbols.reserve(count);
  for (u64 i = 0; i < count; ++i) {
    const SymbolEntry raw = *table->content.read<SymbolEntry>(i * sizeof(SymbolEntry));
    Symbol symbol;
    symbol.value = raw.value;
    symbol.size = raw.size;
    symbol.section = raw.section;
    symbol.kind = kind_of(raw.info);
    symbol.binding = binding_of(raw.info);
    symbol.other = raw.other;
    if (raw.section == kExtendedIndex) {
      const std::optional<u32> index = extended.read<u32>(i * sizeof(u32));
      if (!index) return malformed(fmt::format("ELF symbol {}: no extended section index", i));
      symbol.section = *index;
    }
    if ((symbol.section < kReservedSection || raw.section == kExtendedIndex) &&
        symbol.section >= sections_.size())
      return malformed(fmt::format("ELF symbol {}: section {} does not exist", i, symbol.section));
    const std::optional<std::string_view> name = names.c_string(raw.name);
    if (!name && raw.name != 0)
      return malformed(
          fmt::format("ELF symbol {}: name at 0x{:x} lies outside the string table", i, raw.name));
    symbol.name = name.value_or(std::string_view());
    if (symbol.kind == SymbolKind::kSection && symbol.name.empty() && symbol.defined())
      symbol.name = sections_[symbol.section].name;
    symbols.push_back(symbol);
  }
  return symbols;
}

Expected<std::vector<Relocation>> Elf::relocations(const Section& section, u64 symbol_count) {
  const bool rela = section.type == kSectionRela;
  const u64 entry_size = rela ? sizeof(RelaEntry) : sizeof(RelEntry);
  if (section.content.size() % entry_size != 0)
    return malformed(fmt::format("section {}: {} bytes are not a multiple of {}", section.name,
                                 section.content.size(), entry_size));
  const u64 count = section.content.size() / entry_size;
  std::vector<Relocation> relocations;
  relocations.reserve(count);
  for (u64 i = 0; i < count; ++i) {
    const RelEntry raw = *section.content.read<RelEntry>(i * entry_size);
    Relocation relocation;
    relocation.offset = raw.offset;
    relocation.type = static_cast<u32>(raw.info);
    relocation.symbol = static_cast<u32>(raw.info >> 32);
    relocation.explicit_addend = rela;
    if (rela) relocation.addend = section.content.read<RelaEntry>(i * entry_size)->addend;
    if (relocation.symbol >= symbol_count)
      return malformed(fmt::format("section {}: entry {} names symbol {} of {}", section.name, i,
                                   relocation.symbol, symbol_count));
    relocations.push_back(relocation);
  }
  return relocations;
}

}  // namespace picker::container
