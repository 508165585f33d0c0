// Where control may go after an instruction, as one thread sees it.
//
// Convergence instructions (BSSY, BSYNC, WARPSYNC, YIELD, BREAK) decide when the threads of a warp
// run together, not where one thread goes, with one exception: BSYNC continues at the address that
// its BSSY named. Engines check that this is the BSYNC itself or the instruction after it.
#pragma once

#include "sass/registers.hpp"
#include "semantics/operands.hpp"

namespace picker::semantics {

enum class ControlKind : u8 {
  kNext,            // falls through always
  kBranch,          // to `target` if the condition holds
  kIndirectBranch,  // to one of a table's targets
  kCall,            // to `target`; the return address is in registers already
  kIndirectCall,
  kReturn,        // to the address in register pair A
  kExit,          // ends the thread if the condition holds
  kTrap,          // ends the launch with an error
  kBarrierSet,    // BSSY
  kBarrierSync,   // BSYNC
  kBarrierBreak,  // BREAK
  kUnmodelled,
};

struct Control {
  ControlKind kind = ControlKind::kNext;
  u64 target = 0;                      // bytes from the start of the section
  const Operand* condition = nullptr;  // a second predicate besides the guard, or null
};

// The control effect of `in`. Pointers are into `in`.
[[nodiscard]] inline Control control_of(const Instruction& in) {
  Control control;
  const Operand* target = in.find(Role::kTarget);
  if (target != nullptr) control.target = static_cast<u64>(target->value);
  const Operand* p = in.find(Role::kPSrc);
  switch (in.opcode) {
    case Opcode::kBRA:
      // .DIV/.CONV branch on how the warp is split.
      control.kind = in.modifier(Field::kDivergence) && !plain(in, Field::kDivergence)
                         ? ControlKind::kUnmodelled
                         : ControlKind::kBranch;
      control.condition = p;
      return control;
    case Opcode::kCALL:
      control.kind =
          target != nullptr && in.find(Role::kA) == nullptr && in.has(Field::kCallMode, Value::kREL)
              ? ControlKind::kCall
              : ControlKind::kIndirectCall;
      control.condition = p;
      return control;
    case Opcode::kRET:
      control.kind = ControlKind::kReturn;
      control.condition = p;
      return control;
    case Opcode::kEXIT:
      control.kind = plain(in, Field::kExitMode) ? ControlKind::kExit : ControlKind::kUnmodelled;
      control.condition = p;
      return control;
    case Opcode::kBPT:
      control.kind =
          in.has(Field::kSpecial, Value::kTRAP) ? ControlKind::kTrap : ControlKind::kUnmodelled;
      return control;
    case Opcode::kBSSY:
      control.kind = ControlKind::kBarrierSet;
      control.condition = p;
      return control;
    case Opcode::kBSYNC:
      control.kind = ControlKind::kBarrierSync;
      control.condition = p;
      return control;
    case Opcode::kBREAK:
      control.kind = ControlKind::kBarrierBreak;
      control.condition = p;
      return control;
    default:
      switch (sass::flow_class(in)) {
        case sass::FlowClass::kNone:
        case sass::FlowClass::kSync:
          break;
        case sass::FlowClass::kIndirectBranch:
          // BRX and BRXU with a plain offset; the jumps by absolute address are not modelled.
          control.kind = (in.opcode == Opcode::kBRX || in.opcode == Opcode::kBRXU) &&
                                 plain(in, Field::kInc) && plain(in, Field::kUniform)
                             ? ControlKind::kIndirectBranch
                             : ControlKind::kUnmodelled;
          control.condition = p;
          break;
        default:
          control.kind = ControlKind::kUnmodelled;
          break;
      }
      return control;
  }
}

}  // namespace picker::semantics
