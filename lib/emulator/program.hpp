// A kernel made ready to run: decoded once, with the addresses that a loader would fill in.
//
// A cubin's code and constant banks have holes: addresses of module variables, of functions and of
// the kernel's own code. `Program` decides where everything lies (where the launch says so, else at
// addresses of its own), patches the words, and decodes every instruction of the section.
//
// Code lies at kCodeBase in the address space of code pointers; a function's address is kCodeBase
// plus its offset in the section. Functions that are not in the cubin (printf, the assertion
// handler) get addresses that no code has: calling one is where the emulator stops with its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "container/cubin.hpp"
#include "emulator/memory.hpp"
#include "sass/instruction.hpp"
#include "semantics/classes.hpp"
#include "semantics/control.hpp"
#include "support/diagnostic.hpp"

namespace picker::emulator {

inline constexpr u64 kCodeBase = 0x0000'0c0d'e000'0000;
inline constexpr u64 kForeignCodeBase = 0x0000'0c0d'f000'0000;  // + 16 * symbol number
// Variables that the launch does not place, one after another from here on.
inline constexpr u64 kVariableBase = 0x0000'0600'0000'0000;

struct SymbolPlacement {
  std::string name;
  u64 address = 0;
  bool keep_contents = false;  // the caller has written the contents already
};

struct ProgramInstruction {
  sass::Instruction in;
  semantics::Class what = semantics::Class::kEffect;
  bool understood = false;       // semantics::is_understood
  semantics::Control control;    // its pointers are into `in`
  std::optional<u32> immediate;  // patched by the loader: replaces the 32-bit immediate
};

// Refers to the cubin and the kernel, which must outlive it. Immutable once made.
class Program {
 public:
  // Places variables in `memory` (allocating and filling them). Errors: kUnsupported for an
  // architecture without decoder and for relocations that are not understood.
  [[nodiscard]] static Expected<Program> load(const container::Cubin& cubin,
                                              const container::Kernel& kernel,
                                              const std::vector<SymbolPlacement>& placements,
                                              GlobalMemory& memory);

  Program(Program&&) = default;
  Program& operator=(Program&&) = default;

  [[nodiscard]] const container::Cubin& cubin() const { return *cubin_; }
  [[nodiscard]] const container::Kernel& kernel() const { return *kernel_; }
  // The instruction at byte `offset`, or null outside the code.
  [[nodiscard]] const ProgramInstruction* at(u64 offset) const {
    if (offset % sass::kInstructionBytes != 0) return nullptr;
    const u64 number = offset / sass::kInstructionBytes;
    return number < instructions_.size() ? &instructions_[number] : nullptr;
  }
  // Registers that the code names are below this; at most 256.
  [[nodiscard]] u32 register_count() const { return register_count_; }
  // Content of banks 2 and 4, patched.
  [[nodiscard]] const std::vector<u8>& constant2() const { return constant2_; }
  [[nodiscard]] const std::vector<u8>& constant4() const { return constant4_; }
  // Where bank 3 lies in global memory, and its size in bytes.
  [[nodiscard]] u64 constant3_address() const { return constant3_address_; }
  [[nodiscard]] u64 constant3_size() const { return constant3_size_; }
  // Bank 3 and module variables that the launch did not place.
  [[nodiscard]] bool is_own_address(u64 address) const {
    return address >= kVariableBase && address < variables_end_;
  }
  // "NAME" of the undefined function at code address `address`; empty if there is none.
  [[nodiscard]] std::string foreign_function(u64 address) const;
  // The instruction as the assembler prints it, with its source line where known.
  [[nodiscard]] std::string describe(u32 offset) const;

 private:
  Program() = default;
  [[nodiscard]] Expected<void> place(const std::vector<SymbolPlacement>& placements,
                                     GlobalMemory& memory);
  // The value of symbol `symbol` (an index into Cubin::symbols()), nothing if it has none.
  [[nodiscard]] std::optional<u64> symbol_value(u32 symbol) const;
  [[nodiscard]] Expected<void> patch_bank(const std::vector<container::ResolvedRelocation>& list,
                                          std::vector<u8>& bank, std::string_view name) const;
  [[nodiscard]] Expected<void> decode();

  const container::Cubin* cubin_ = nullptr;
  const container::Kernel* kernel_ = nullptr;
  std::vector<ProgramInstruction> instructions_;
  std::vector<u8> constant2_, constant4_;
  u32 register_count_ = 0;
  u64 constant3_address_ = 0;
  u64 constant3_size_ = 0;
  u64 variables_end_ = kVariableBase;
  std::vector<std::optional<u64>> variable_addresses_;  // by symbol number
};

}  // namespace picker::emulator
