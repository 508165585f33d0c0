#include "container/cubin.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "container/kernel_attributes.hpp"

namespace picker::container {
namespace {

constexpr u8 kEntryFlag = 0x10;  // STO_CUDA_ENTRY in st_other: the function is a kernel
constexpr u32 kInstructionSize = 16;

// Which architecture a cubin is for. Two flavours are known: see the essay in cubin.hpp.
struct Flavour {
  u8 os_abi;
  u8 abi_version;
  u32 architecture_shift;  // of the 8 bits in e_flags
};
constexpr Flavour kFlavours[] = {{0x33, 7, 0}, {0x41, 8, 8}};

Expected<u32> architecture_of(const Elf& elf) {
  if (elf.machine() != kMachineCuda)
    return unsupported(fmt::format("ELF for machine {}, expected a CUDA cubin (machine {})",
                                   elf.machine(), kMachineCuda));
  for (const Flavour& flavour : kFlavours)
    if (flavour.os_abi == elf.os_abi() && flavour.abi_version == elf.abi_version())
      return (elf.flags() >> flavour.architecture_shift) & 0xff;
  return unsupported(fmt::format("cubin flavour with OS ABI 0x{:x} version {} is not known",
                                 elf.os_abi(), elf.abi_version()));
}

}  // namespace

// Builds a Cubin in one pass over the sections and one over the symbols.
class CubinParser {
 public:
  explicit CubinParser(Cubin& cubin) : cubin_(cubin), sections_(cubin.elf_.sections()) {}
  Expected<void> run();

 private:
  // The per-kernel sections of one text section.
  struct KernelSections {
    const Section* info = nullptr;
    const Section* constant0 = nullptr;
    const Section* constant2 = nullptr;
    u32 constant2_index = 0;
    const Section* shared = nullptr;
  };
  struct FunctionFacts {
    u32 registers = 0;
    u32 frame_size = 0;
    u32 min_stack_size = 0;
    std::optional<u32> max_stack_size;
  };

  Expected<void> index_sections();
  Expected<void> module_attributes();
  Expected<void> add_kernel(u32 symbol);
  Expected<std::vector<ResolvedRelocation>> relocations_of(u32 section) const;
  std::vector<Variable> variables_in(u32 section) const;
  void read_lines();

  Cubin& cubin_;
  const std::vector<Section>& sections_;
  std::unordered_map<u32, KernelSections> by_text_;
  std::unordered_map<u32, std::vector<u32>> relocation_sections_;  // by patched section
  std::unordered_map<u32, FunctionFacts> facts_;                   // by symbol
  std::unordered_map<u32, std::vector<u32>> functions_;            // symbols by text section
  std::optional<u32> module_info_, constant3_, constant4_, debug_line_;
};

Expected<void> CubinParser::index_sections() {
  for (u32 i = 1; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    const std::string_view name = section.name;
    KernelSections& own = by_text_[section.info];
    // Two sections for one purpose: which one the driver would take is not known.
    bool duplicate = false;
    const auto set = [&](auto& place, auto value) {
      duplicate = static_cast<bool>(place);
      place = value;
    };
    if (section.type == kSectionRel || section.type == kSectionRela) {
      relocation_sections_[section.info].push_back(i);
    } else if (name.starts_with(".nv.info.")) {
      set(own.info, &section);
    } else if (name.starts_with(".nv.constant0.")) {
      set(own.constant0, &section);
    } else if (name.starts_with(".nv.constant2.")) {
      set(own.constant2, &section);
      own.constant2_index = i;
    } else if (name.starts_with(".nv.shared.") && section.info != 0) {
      set(own.shared, &section);
    } else if (name == ".nv.info") {
      set(module_info_, i);
    } else if (name == ".nv.constant3") {
      set(constant3_, i);
    } else if (name == ".nv.constant4") {
      set(constant4_, i);
    } else if (name == ".debug_line") {
      set(debug_line_, i);
    }
    if (duplicate) return malformed(fmt::format("section {} ({}) occurs twice", i, name));
  }
  return {};
}

Expected<void> CubinParser::module_attributes() {
  if (!module_info_) return {};
  const Expected<std::vector<Attribute>> attributes =
      parse_attributes(sections_[*module_info_].content, ".nv.info");
  if (!attributes) return std::unexpected(attributes.error());
  for (const Attribute& attribute : *attributes) {
    using enum AttributeNumber;
    const AttributeNumber number = static_cast<AttributeNumber>(attribute.number);
    if (number != kRegisterCount && number != kFrameSize && number != kMinStackSize &&
        number != kMaxStackSize)
      continue;
    const std::optional<u32> symbol = attribute.payload.read<u32>(0);
    const std::optional<u32> value = attribute.payload.read<u32>(4);
    if (!symbol || !value || *symbol >= cubin_.symbols_.size())
      return malformed(
          fmt::format("section .nv.info: attribute 0x{:x} at offset 0x{:x} does not "
                      "name a symbol and a value",
                      attribute.number, attribute.offset));
    FunctionFacts& facts = facts_[*symbol];
    if (number == kRegisterCount) facts.registers = *value;
    if (number == kFrameSize) facts.frame_size = *value;
    if (number == kMinStackSize) facts.min_stack_size = *value;
    if (number == kMaxStackSize) facts.max_stack_size = value;
  }
  return {};
}

Expected<std::vector<ResolvedRelocation>> CubinParser::relocations_of(u32 section) const {
  std::vector<ResolvedRelocation> result;
  const auto found = relocation_sections_.find(section);
  if (found == relocation_sections_.end()) return result;
  for (const u32 index : found->second) {
    const Expected<std::vector<Relocation>> entries =
        Elf::relocations(sections_[index], cubin_.symbols_.size());
    if (!entries) return std::unexpected(entries.error());
    for (const Relocation& entry : *entries) {
      if (entry.offset >= sections_[section].size || entry.offset > std::numeric_limits<u32>::max())
        return malformed(fmt::format("section {}: patches offset 0x{:x} of {} bytes",
                                     sections_[index].name, entry.offset, sections_[section].size));
      const Symbol& symbol = cubin_.symbols_[entry.symbol];
      ResolvedRelocation relocation;
      relocation.offset = static_cast<u32>(entry.offset);
      relocation.type = entry.type;
      relocation.symbol = entry.symbol;
      relocation.addend = entry.addend;
      relocation.explicit_addend = entry.explicit_addend;
      relocation.symbol_name = symbol.name;
      relocation.symbol_defined = symbol.defined();
      result.push_back(relocation);
    }
  }
  std::sort(result.begin(), result.end(),
            [](const ResolvedRelocation& a, const ResolvedRelocation& b) {
              return std::tie(a.offset, a.type, a.symbol, a.addend) <
                     std::tie(b.offset, b.type, b.symbol, b.addend);
            });
  return result;
}

std::vector<Variable> CubinParser::variables_in(u32 section) const {
  std::vector<Variable> variables;
  for (u32 i = 0; i < cubin_.symbols_.size(); ++i) {
    const Symbol& symbol = cubin_.symbols_[i];
    if (symbol.kind != SymbolKind::kObject || symbol.section != section) continue;
    Variable variable{symbol.name, i, symbol.value, symbol.size, Slice()};
    if (const std::optional<Slice> initial =
            sections_[section].content.sub(symbol.value, symbol.size))
      variable.initial = *initial;
    variables.push_back(variable);
  }
  std::sort(variables.begin(), variables.end(), [](const Variable& a, const Variable& b) {
    return std::tie(a.offset, a.symbol) < std::tie(b.offset, b.symbol);
  });
  return variables;
}

Expected<void> CubinParser::add_kernel(u32 symbol_index) {
  const Symbol& symbol = cubin_.symbols_[symbol_index];
  const Section& text = sections_[symbol.section];
  const auto fail = [&](std::string message) {
    return malformed(fmt::format("kernel {}: {}", symbol.name, message));
  };
  Kernel kernel;
  kernel.name = symbol.name;
  kernel.sm = cubin_.sm_;
  kernel.symbol = symbol_index;
  kernel.text_section = symbol.section;
  kernel.code = text.content;
  if (text.content.size() % kInstructionSize != 0 ||
      text.content.size() > std::numeric_limits<u32>::max())
    return fail(fmt::format("section {} has {} bytes, expected a multiple of {}", text.name,
                            text.content.size(), kInstructionSize));
  if (!text.content.sub(symbol.value, symbol.size) || symbol.value % kInstructionSize != 0)
    return fail(fmt::format("lies outside section {}", text.name));
  kernel.entry_offset = static_cast<u32>(symbol.value);
  kernel.entry_size = static_cast<u32>(symbol.size);

  if (const auto facts = facts_.find(symbol_index); facts != facts_.end()) {
    kernel.register_count = facts->second.registers;
    kernel.frame_size = facts->second.frame_size;
    kernel.min_stack_size = facts->second.min_stack_size;
    kernel.max_stack_size = facts->second.max_stack_size;
  }
  if (kernel.register_count == 0) kernel.register_count = text.info >> 24;

  const auto own = by_text_.find(symbol.section);
  if (own == by_text_.end() || own->second.info == nullptr)
    return fail("no section .nv.info with its parameters");
  if (own->second.constant0 != nullptr) {
    if (own->second.constant0->size > std::numeric_limits<u32>::max())
      return fail("constant bank 0 is too large");
    kernel.constant0_size = static_cast<u32>(own->second.constant0->size);
  }
  if (own->second.constant2 != nullptr) {
    kernel.constant2 = own->second.constant2->content;
    Expected<std::vector<ResolvedRelocation>> relocations =
        relocations_of(own->second.constant2_index);
    if (!relocations) return std::unexpected(relocations.error());
    kernel.constant2_relocations = std::move(*relocations);
  }
  if (own->second.shared != nullptr) kernel.static_shared_size = own->second.shared->size;

  Expected<std::vector<Attribute>> attributes =
      parse_attributes(own->second.info->content, own->second.info->name);
  if (!attributes) return std::unexpected(attributes.error());
  if (Expected<void> done = apply_kernel_attributes(kernel, std::move(*attributes),
                                                    own->second.info->name, cubin_.symbols_);
      !done)
    return done;

  Expected<std::vector<ResolvedRelocation>> relocations = relocations_of(symbol.section);
  if (!relocations) return std::unexpected(relocations.error());
  kernel.relocations = std::move(*relocations);

  for (const u32 index : functions_[symbol.section]) {
    const Symbol& function = cubin_.symbols_[index];
    if (index == symbol_index) continue;
    if (!text.content.sub(function.value, function.size))
      return fail(fmt::format("function {} lies outside section {}", function.name, text.name));
    kernel.functions.push_back(
        {function.name, static_cast<u32>(function.value), static_cast<u32>(function.size)});
  }
  std::sort(kernel.functions.begin(), kernel.functions.end(),
            [](const DeviceFunction& a, const DeviceFunction& b) {
              return std::tie(a.offset, a.name) < std::tie(b.offset, b.name);
            });
  cubin_.kernels_.push_back(std::move(kernel));
  return {};
}

// Source lines are a convenience: what is wrong with them is noted, not an error of the cubin.
void CubinParser::read_lines() {
  if (!debug_line_) return;
  const Expected<std::vector<ResolvedRelocation>> relocations = relocations_of(*debug_line_);
  if (!relocations) {
    cubin_.line_table_error_ = relocations.error().message;
    return;
  }
  const auto resolve = [&](u64 offset, u64 stored) -> std::optional<LineTable::CodeAddress> {
    const auto at = std::lower_bound(
        relocations->begin(), relocations->end(), offset,
        [](const ResolvedRelocation& entry, u64 key) { return entry.offset < key; });
    if (at == relocations->end() || at->offset != offset || at->type != kRelocation64 ||
        !at->symbol_defined)
      return std::nullopt;
    const Symbol& symbol = cubin_.symbols_[at->symbol];
    const u64 addend = at->explicit_addend ? static_cast<u64>(at->addend) : stored;
    return LineTable::CodeAddress{symbol.section, symbol.value + addend};
  };
  Expected<LineTable> lines = LineTable::parse(sections_[*debug_line_].content, resolve);
  if (lines)
    cubin_.lines_ = std::move(*lines);
  else
    cubin_.line_table_error_ = lines.error().message;
}

Expected<void> CubinParser::run() {
  Expected<std::vector<Symbol>> symbols = cubin_.elf_.symbols();
  if (!symbols) return std::unexpected(symbols.error());
  cubin_.symbols_ = std::move(*symbols);
  if (Expected<void> done = index_sections(); !done) return done;
  if (Expected<void> done = module_attributes(); !done) return done;

  std::vector<u32> entries;
  for (u32 i = 0; i < cubin_.symbols_.size(); ++i) {
    const Symbol& symbol = cubin_.symbols_[i];
    if (symbol.kind != SymbolKind::kFunction || !symbol.defined()) continue;
    if (!sections_[symbol.section].name.starts_with(".text.")) continue;
    functions_[symbol.section].push_back(i);
    if ((symbol.other & kEntryFlag) != 0) entries.push_back(i);
  }
  std::sort(entries.begin(), entries.end(), [&](u32 a, u32 b) {
    return std::pair(cubin_.symbols_[a].section, a) < std::pair(cubin_.symbols_[b].section, b);
  });
  cubin_.kernels_.reserve(entries.size());
  for (const u32 entry : entries)
    if (Expected<void> done = add_kernel(entry); !done) return done;

  if (constant3_) {
    cubin_.constant3_ = sections_[*constant3_].content;
    cubin_.constant3_variables_ = variables_in(*constant3_);
    Expected<std::vector<ResolvedRelocation>> relocations = relocations_of(*constant3_);
    if (!relocations) return std::unexpected(relocations.error());
    cubin_.constant3_relocations_ = std::move(*relocations);
  }
  if (constant4_) {
    cubin_.constant4_ = sections_[*constant4_].content;
    Expected<std::vector<ResolvedRelocation>> relocations = relocations_of(*constant4_);
    if (!relocations) return std::unexpected(relocations.error());
    cubin_.constant4_relocations_ = std::move(*relocations);
  }
  for (u32 i = 1; i < sections_.size(); ++i)
    if (sections_[i].name == ".nv.global" || sections_[i].name == ".nv.global.init")
      for (const Variable& variable : variables_in(i)) cubin_.globals_.push_back(variable);
  read_lines();
  return {};
}

Expected<Cubin> Cubin::parse(Slice bytes, std::string name, std::shared_ptr<const void> owner) {
  Expected<Elf> elf = Elf::parse(bytes);
  if (!elf) return std::unexpected(elf.error().in(name));
  const Expected<u32> sm = architecture_of(*elf);
  if (!sm) return std::unexpected(sm.error().in(name));
  Cubin cubin;
  cubin.name_ = std::move(name);
  cubin.owner_ = std::move(owner);
  cubin.bytes_ = bytes;
  cubin.sm_ = *sm;
  cubin.elf_ = std::move(*elf);
  if (Expected<void> done = CubinParser(cubin).run(); !done)
    return std::unexpected(done.error().in(cubin.name_));
  return cubin;
}

const Kernel* Cubin::find(std::string_view kernel) const {
  for (const Kernel& candidate : kernels_)
    if (candidate.name == kernel) return &candidate;
  return nullptr;
}

std::optional<ResolvedRelocation> Cubin::constant4_entry(u64 offset) const {
  std::optional<ResolvedRelocation> result;
  for (const ResolvedRelocation& relocation : constant4_relocations_) {
    // A patch that overlaps the eight bytes without being exactly them makes them unknown.
    if (relocation.offset + u64{8} <= offset || relocation.offset >= offset + 8) continue;
    if (relocation.offset != offset || result ||
        (relocation.type != kRelocation64 && relocation.type != kRelocationFunction64))
      return std::nullopt;
    result = relocation;
    if (!result->explicit_addend) {
      const std::optional<i64> stored = constant4_.read<i64>(offset);
      if (!stored) return std::nullopt;
      result->addend = *stored;
    }
  }
  return result;
}

std::string demangle(std::string_view name) {
  constexpr size_t kLongest = 16384;  // the demangler's stack grows with the name
  if (!name.starts_with("_Z") || name.size() > kLongest) return std::string(name);
  const std::string mangled(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : mangled;
}

}  // namespace picker::container
