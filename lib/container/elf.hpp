// Sections, symbols and relocations of a 64-bit little-endian ELF file.
//
// Both kinds of ELF that matter here are of this form: cubins (machine 190) and the x86-64 or
// AArch64 programs and libraries that embed them. The reader is strict about what it uses (tables
// must lie inside the file, names must end inside their string table) and indifferent to the rest:
// unknown section types are kept, not rejected.
//
// Source: System V gABI, chapters 4 and 5 (generic ABI, "Object Files").
#pragma once

#include <string_view>
#include <vector>

#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

inline constexpr u16 kMachineX86_64 = 62;
inline constexpr u16 kMachineAArch64 = 183;
inline constexpr u16 kMachineCuda = 190;

inline constexpr u16 kElfRelocatable = 1;
inline constexpr u16 kElfExecutable = 2;
inline constexpr u16 kElfSharedObject = 3;

inline constexpr u32 kSectionSymbolTable = 2;
inline constexpr u32 kSectionStringTable = 3;
inline constexpr u32 kSectionRela = 4;
inline constexpr u32 kSectionNoBits = 8;
inline constexpr u32 kSectionRel = 9;
inline constexpr u32 kSectionSymbolIndices = 18;  // SHT_SYMTAB_SHNDX

inline constexpr u32 kUndefinedSection = 0;
inline constexpr u32 kReservedSection = 0xff00;  // first of the indices with a meaning of their own

struct Section {
  std::string_view name;
  u32 type = 0;
  u64 flags = 0;
  u64 address = 0;
  u64 offset = 0;  // in the file, bytes
  u64 size = 0;    // bytes; for kSectionNoBits the size in memory
  u32 link = 0;
  u32 info = 0;
  u64 entry_size = 0;
  Slice content;  // empty for kSectionNoBits
};

enum class SymbolKind : u8 { kNone, kObject, kFunction, kSection, kFile, kOther };
enum class SymbolBinding : u8 { kLocal, kGlobal, kWeak, kOther };

struct Symbol {
  std::string_view name;  // of its section, for a section symbol without a name of its own
  u64 value = 0;          // in relocatable files and cubins: offset from the start of `section`
  u64 size = 0;           // bytes
  u32 section = 0;        // index, or kUndefinedSection, or kReservedSection and above
  SymbolKind kind = SymbolKind::kNone;
  SymbolBinding binding = SymbolBinding::kLocal;
  u8 other = 0;  // st_other, whole
  [[nodiscard]] bool defined() const {
    return section != kUndefinedSection && section < kReservedSection;
  }
};

struct Relocation {
  u64 offset = 0;  // in the section that is patched
  u32 type = 0;
  u32 symbol = 0;  // index, checked to be in range
  i64 addend = 0;  // of a RELA entry; 0 for REL, whose addend is in the patched place
  bool explicit_addend = false;
};

// A parsed file. Views the bytes it was parsed from, which must outlive it. Immutable, so safe to
// share between threads.
class Elf {
 public:
  // Errors: kMalformed, naming the table and offset at fault.
  [[nodiscard]] static Expected<Elf> parse(Slice file);
  // Whether the bytes begin as an ELF file does (of any class and byte order).
  [[nodiscard]] static bool has_magic(Slice file);

  [[nodiscard]] u16 type() const { return type_; }
  [[nodiscard]] u16 machine() const { return machine_; }
  [[nodiscard]] u32 flags() const { return flags_; }
  [[nodiscard]] u8 os_abi() const { return os_abi_; }
  [[nodiscard]] u8 abi_version() const { return abi_version_; }

  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  // The first section called `name`, or null.
  [[nodiscard]] const Section* find(std::string_view name) const;

  // The entries of the (first) SHT_SYMTAB section in file order, entry 0 included; empty if none.
  [[nodiscard]] Expected<std::vector<Symbol>> symbols() const;
  // The entries of one kSectionRel or kSectionRela section; `symbol_count` bounds their symbols.
  [[nodiscard]] static Expected<std::vector<Relocation>> relocations(const Section& section,
                                                                     u64 symbol_count);

  // The size of the file as its headers describe it: the end of the last table or section. An ELF
  // embedded in a larger buffer without a length can be cut by it.
  [[nodiscard]] u64 extent() const { return extent_; }

 private:
  u16 type_ = 0;
  u16 machine_ = 0;
  u32 flags_ = 0;
  u8 os_abi_ = 0;
  u8 abi_version_ = 0;
  u64 extent_ = 0;
  std::vector<Section> sections_;
};

}  // namespace picker::container
