#include "sass/registers.hpp"

#include <algorithm>
#include <string_view>

#include "sass/rows.hpp"

namespace picker::sass {
namespace {

// The number in a size or type name ("U16" -> 16, "F32" -> 32, "64" -> 64); 32 if it has none.
u32 bits_of(Value value) {
  const std::string_view text = to_string(value);
  u32 bits = 0;
  for (u32 i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') continue;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      bits = bits * 10 + static_cast<u32>(text[i] - '0');
    break;
  }
  // "F16x2": two elements.
  if (const auto times = text.find('x'); bits != 0 && times != std::string_view::npos &&
                                         times + 1 < text.size() && text[times + 1] >= '2' &&
                                         text[times + 1] <= '9')
    bits *= static_cast<u32>(text[times + 1] - '0');
  return bits == 0 ? 32 : bits;
}

}  // namespace

u8 registers_of(Value value) {
  return static_cast<u8>(std::clamp<u32>((bits_of(value) + 31) / 32, 1, 8));
}

u32 bytes_of(Value value) { return bits_of(value) / 8; }

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
