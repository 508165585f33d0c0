#include "emulator/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"
#include "semantics/understood.hpp"

namespace picker::emulator {

using container::Kernel;
using container::ResolvedRelocation;
using container::Symbol;
using container::Variable;

namespace {

std::vector<u8> to_vector(Slice slice) { return {slice.data(), slice.data() + slice.size()}; }

u64 round_up(u64 x, u64 to) { return (x + to - 1) / to * to; }

// Bytes of bank 3 at most.
constexpr u64 kMaxBank3 = 1u << 16;
constexpr u64 kMaxVariable = u64{1} << 30;

}  // namespace

Expected<Program> Program::load(const container::Cubin& cubin, const Kernel& kernel,
                                const std::vector<SymbolPlacement>& placements,
                                GlobalMemory& memory) {
  Program program;
  program.cubin_ = &cubin;
  program.kernel_ = &kernel;
  if (Expected<void> done = program.place(placements, memory); !done)
    return std::unexpected(done.error());
  program.constant2_ = to_vector(kernel.constant2);
  program.constant4_ = to_vector(cubin.constant4());
  if (Expected<void> done =
          program.patch_bank(kernel.constant2_relocations, program.constant2_, "constant bank 2");
      !done)
    return std::unexpected(done.error());
  if (Expected<void> done =
          program.patch_bank(cubin.constant4_relocations(), program.constant4_, "constant bank 4");
      !done)
    return std::unexpected(done.error());
  if (Expected<void> done = program.decode(); !done) return std::unexpected(done.error());
  return program;
}

Expected<void> Program::place(const std::vector<SymbolPlacement>& placements,
                              GlobalMemory& memory) {
  variable_addresses_.resize(cubin_->symbols().size());
  const auto placement_of = [&](std::string_view name) -> const SymbolPlacement* {
    for (const SymbolPlacement& placement : placements)
      if (placement.name == name) return &placement;
    return nullptr;
  };
  const auto next_own = [&](u64 size) {
    const u64 address = round_up(variables_end_, 256);
    variables_end_ = address + size;
    return address;
  };
  // Bank 3 lies in one piece: one variable's place gives all others'.
  std::vector<u8> bank = to_vector(cubin_->constant3());
  constant3_size_ = bank.size();
  for (const Variable& variable : cubin_->constant3_variables())
    constant3_size_ = std::max(constant3_size_, variable.offset + variable.size);
  if (constant3_size_ > kMaxBank3)
    return unsupported(fmt::format("{}: constant bank 3 is larger than 64 KiB", cubin_->name()));
  bank.resize(constant3_size_, 0);
  std::optional<u64> base;
  for (const Variable& variable : cubin_->constant3_variables())
    if (const SymbolPlacement* placement = placement_of(variable.name)) {
      if (base && *base != placement->address - variable.offset)
        return usage_error(fmt::format("--symbol {}: constants of one module keep their distance",
                                       placement->name));
      base = placement->address - variable.offset;
    }
  if (constant3_size_ != 0) {
    constant3_address_ = base ? *base : next_own(constant3_size_);
    for (const Variable& variable : cubin_->constant3_variables()) {
      variable_addresses_[variable.symbol] = constant3_address_ + variable.offset;
      const SymbolPlacement* placement = placement_of(variable.name);
      if (base && placement == nullptr)
        memory.allocate_extra(constant3_address_ + variable.offset, variable.size);
    }
    if (!base) memory.allocate_extra(constant3_address_, constant3_size_);
  }
  for (const Variable& variable : cubin_->globals()) {
    if (variable.size > kMaxVariable)
      return unsupported(
          fmt::format("{}: variable {} of {} bytes", cubin_->name(), variable.name, variable.size));
    const SymbolPlacement* placement = placement_of(variable.name);
    const u64 address = placement != nullptr ? placement->address : next_own(variable.size);
    variable_addresses_[variable.symbol] = address;
    memory.allocate_extra(address, variable.size);
    if (placement != nullptr && placement->keep_contents) continue;
    std::vector<u8> content = to_vector(variable.initial);
    content.resize(variable.size, 0);
    memory.write(address, content);
  }
  if (constant3_size_ != 0) {
    if (Expected<void> done = patch_bank(cubin_->constant3_relocations(), bank, "constant bank 3");
        !done)
      return done;
    for (const Variable& variable : cubin_->constant3_variables()) {
      const SymbolPlacement* placement = placement_of(variable.name);
      if (placement != nullptr) memory.allocate_extra(placement->address, variable.size);
      if (placement != nullptr && placement->keep_contents) continue;
      memory.write(constant3_address_ + variable.offset,
                   std::span<const u8>(bank).subspan(variable.offset, variable.size));
    }
  }
  return {};
}

std::optional<u64> Program::symbol_value(u32 symbol) const {
  if (symbol >= variable_addresses_.size()) return std::nullopt;
  if (variable_addresses_[symbol]) return variable_addresses_[symbol];
  const Symbol& s = cubin_->symbols()[symbol];
  if (!s.defined()) return kForeignCodeBase + u64{symbol} * sass::kInstructionBytes;
  if (s.section == kernel_->text_section) return kCodeBase + s.value;
  return std::nullopt;
}

Expected<void> Program::patch_bank(const std::vector<ResolvedRelocation>& list,
                                   std::vector<u8>& bank, std::string_view name) const {
  for (const ResolvedRelocation& r : list) {
    const auto bad = [&](std::string_view what) {
      return unsupported(fmt::format("{}: {} in {} at offset {:#x}, of symbol {}", cubin_->name(),
                                     what, name, r.offset, r.symbol_name));
    };
    if (r.type != container::kRelocation64 && r.type != container::kRelocationFunction64)
      return bad(fmt::format("relocation type {:#x}", r.type));
    if (u64{r.offset} + 8 > bank.size()) return bad("relocation outside");
    const std::optional<u64> value = symbol_value(r.symbol);
    if (!value) continue;  // code of another kernel: nothing that this one can use
    u64 stored = 0;
    std::memcpy(&stored, bank.data() + r.offset, 8);
    const u64 patched = *value + (r.explicit_addend ? static_cast<u64>(r.addend) : stored);
    std::memcpy(bank.data() + r.offset, &patched, 8);
  }
  return {};
}

Expected<void> Program::decode() {
  const std::optional<sass::Family> family = sass::family_of(kernel_->sm);
  if (!family)
    return unsupported(
        fmt::format("{}: architecture sm_{} is not supported", cubin_->name(), kernel_->sm));
  const sass::Decoder decoder(*family);
  const u64 count = kernel_->code.size() / sass::kInstructionBytes;
  instructions_.resize(count);
  for (u64 i = 0; i < count; ++i) {
    const u64 offset = i * sass::kInstructionBytes;
    ProgramInstruction& instruction = instructions_[i];
    instruction.in = decoder.decode(kernel_->code.data() + offset, offset);
    if (!instruction.in.known()) continue;
    instruction.what = semantics::class_of(instruction.in);
    instruction.understood = semantics::is_understood(instruction.in);
    instruction.control = semantics::control_of(instruction.in);
    for (u32 k = 0; k < instruction.in.operand_count; ++k) {
      // The upper register of a pair that an address or a count of registers leaves implicit.
      const sass::Operand& operand = instruction.in.operands[k];
      if (operand.reg != sass::kRZ)
        register_count_ = std::max(register_count_, u32{operand.reg} + operand.width + 1);
    }
  }
  register_count_ = std::min(register_count_, u32{sass::kRZ} + 1);
  for (const ResolvedRelocation& r : kernel_->relocations) {
    const u64 number = r.offset / sass::kInstructionBytes;
    if (number >= count) continue;
    ProgramInstruction& instruction = instructions_[number];
    const std::optional<u64> value = symbol_value(r.symbol);
    const auto stored = kernel_->code.read<u32>(u64{r.offset} + 4);
    const u64 address =
        value && stored ? *value + (r.explicit_addend ? static_cast<u64>(r.addend) : *stored) : 0;
    switch (r.type) {
      case container::kRelocationLow32:
      case container::kRelocationFunctionLow32:
        instruction.immediate = static_cast<u32>(address);
        break;
      case container::kRelocationHigh32:
      case container::kRelocationFunctionHigh32:
        instruction.immediate = static_cast<u32>(address >> 32);
        break;
      case container::kRelocationCall47:
        instruction.control.target = address;
        break;
      default:
        instruction.in = {};  // as good as an unknown instruction, should it be reached
        break;
    }
    if (!value) instruction.in = {};
  }
  return {};
}

std::string Program::foreign_function(u64 address) const {
  if (address < kForeignCodeBase || address % sass::kInstructionBytes != 0) return {};
  const u64 symbol = (address - kForeignCodeBase) / sass::kInstructionBytes;
  if (symbol >= cubin_->symbols().size()) return {};
  return std::string(cubin_->symbols()[symbol].name);
}

std::string Program::describe(u32 offset) const {
  const auto lo = kernel_->code.read<u64>(offset), hi = kernel_->code.read<u64>(u64{offset} + 8);
  if (!lo || !hi) return fmt::format("{:#06x} outside the code", offset);
  const auto family = sass::family_of(kernel_->sm);
  std::string text = fmt::format("{:#06x}", offset);
  if (family)
    text += " " + sass::to_text(sass::Decoder(*family).decode(*lo, *hi, offset), *lo, *hi);
  if (const auto line = cubin_->source_location(*kernel_, offset))
    text += fmt::format(" ({}:{})", cubin_->line_table().files()[line->file], line->line);
  return text;
}

}  // namespace picker::emulator
