#include "sass/registers.hpp"

#include <algorithm>

#include "sass/rows.hpp"

namespace picker::sass {
u8 registers_of(Value value) {
  return static_cast<u8>(
      std::clamp<u32>((tables::kValueBits[static_cast<u32>(value)] + 31u) / 32, 1, 8));
}

u32 bytes_of(Value value) { return tables::kValueBits[static_cast<u32>(value)] / 8u; }

FlowClass flow_class(const Instruction& instruction) {
  if (!instruction.known()) return FlowClass::kNone;
  return static_cast<FlowClass>(rows()[instruction.row].flow);
}

bool is_control_flow(Opcode opcode) {
  return std::ranges::any_of(
      rows(), [opcode](const Row& row) { return row.opcode == opcode && row.flow != Flow::kNone; });
}

MemoryEffect memory_effect(const Instruction& instruction) {
  if (!instruction.known()) return {};
  const Row& row = rows()[instruction.row];
  MemoryEffect effect;
  effect.space = static_cast<MemorySpace>(row.space);
  effect.access = static_cast<MemoryAccess>(row.access);
  effect.bytes =
      (row.size & 0x80) == 0 ? row.size : bytes_of(instruction.modifiers[row.size & 0x7f].value);
  return effect;
}

}  // namespace picker::sass
