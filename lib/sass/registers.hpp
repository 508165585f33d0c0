// Which registers an instruction reads and writes, and what it does to memory and control flow.
//
// All of it follows from the table row: roles say what is read or written, width rules how many
// consecutive registers. Registers that read as zero (RZ, URZ) and the constant predicate (PT) are
// never reported.
#pragma once

#include "sass/instruction.hpp"
#include "support/types.hpp"

namespace picker::sass {

enum class RegisterFile : u8 { kGeneral, kUniform, kPredicate, kUniformPredicate, kBarrier };

// What kind of transfer of control an instruction is.
enum class FlowClass : u8 {
  kNone,
  kBranch,
  kIndirectBranch,
  kCall,
  kReturn,
  kExit,
  kTrap,
  kSync,
};

enum class MemorySpace : u8 {
  kNone,
  kGlobal,
  kShared,
  kLocal,
  kGeneric,
  kConstantBank,
  kTexture,
  kSurface,
  kGlobalToShared,
  kTensor,  // global memory through a tensor map
};

enum class MemoryAccess : u8 { kNone, kRead, kWrite, kReadWrite };

struct MemoryEffect {
  MemorySpace space = MemorySpace::kNone;
  MemoryAccess access = MemoryAccess::kNone;
  u32 bytes = 0;  // per thread and access; 0 if not fixed by the instruction
};

// 32-bit registers that a value of size or type `value` occupies.
u8 registers_of(Value value);
// Bytes of a memory access of size or type `value`.
u32 bytes_of(Value value);

FlowClass flow_class(const Instruction& instruction);
// Whether any form of `opcode` can transfer control.
bool is_control_flow(Opcode opcode);
MemoryEffect memory_effect(const Instruction& instruction);

namespace detail {

template <typename Visit>
void visit_range(RegisterFile file, u8 first, u8 count, u8 zero, Visit& visit) {
  if (first == zero) return;
  for (u32 i = 0; i < count && first + i < zero; ++i) visit(file, static_cast<u8>(first + i));
}

template <typename Visit>
void visit_operand(const Operand& operand, Visit& visit) {
  switch (operand.kind) {
    case OperandKind::kRegister:
      visit_range(RegisterFile::kGeneral, operand.reg, operand.width, kRZ, visit);
      break;
    case OperandKind::kUniformRegister:
      visit_range(RegisterFile::kUniform, operand.reg, operand.width, kURZ, visit);
      break;
    case OperandKind::kPredicate:
      visit_range(RegisterFile::kPredicate, operand.reg, operand.width, kPT, visit);
      break;
    case OperandKind::kUniformPredicate:
      visit_range(RegisterFile::kUniformPredicate, operand.reg, operand.width, kPT, visit);
      break;
    case OperandKind::kBarrierRegister:
      visit(RegisterFile::kBarrier, operand.reg);
      break;
    default:
      break;
  }
}

// Registers inside an address or a constant are always read.
template <typename Visit>
void visit_indices(const Operand& operand, Visit& visit) {
  if (operand.kind != OperandKind::kAddress && operand.kind != OperandKind::kConstant &&
      operand.kind != OperandKind::kBindlessConstant)
    return;
  if (operand.has_reg)
    visit_range(RegisterFile::kGeneral, operand.reg, operand.wide ? u8{2} : operand.width, kRZ,
                visit);
  if (operand.has_ureg) {
    const bool pair = operand.ureg_wide || operand.kind == OperandKind::kBindlessConstant;
    const bool alone = operand.kind == OperandKind::kAddress && !operand.has_reg;
    visit_range(RegisterFile::kUniform, operand.ureg,
                pair    ? u8{2}
                : alone ? operand.width
                        : u8{1},
                kURZ, visit);
  }
  if (operand.has_descriptor)
    visit_range(RegisterFile::kUniform, operand.descriptor, operand.descriptor_is_half ? 1 : 2,
                kURZ, visit);
}

}  // namespace detail

// Calls visit(RegisterFile, u8 number) for each register that the instruction may write.
template <typename Visit>
void for_each_def(const Instruction& instruction, Visit visit) {
  for (u32 i = 0; i < instruction.operand_count; ++i)
    if (instruction.operands[i].def) detail::visit_operand(instruction.operands[i], visit);
}

// Calls visit(RegisterFile, u8 number) for each register that the instruction may read, the guard
// predicate included.
template <typename Visit>
void for_each_use(const Instruction& instruction, Visit visit) {
  if (instruction.guard != kPT)
    visit(instruction.guard_uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate,
          instruction.guard);
  for (u32 i = 0; i < instruction.operand_count; ++i) {
    if (instruction.operands[i].use) detail::visit_operand(instruction.operands[i], visit);
    detail::visit_indices(instruction.operands[i], visit);
  }
}

}  // namespace picker::sass
