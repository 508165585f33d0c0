// The table of meanings: which template gives which opcode its effect on data and memory.
//
// Control flow is control.hpp's; barriers and convergence are the engine's. An opcode without a row
// goes to `unmodelled`, which is always sound for instructions that only compute data, and
// `unmodelled_memory` for those that might touch memory.
#pragma once

#include "semantics/classes.hpp"
#include "semantics/control.hpp"
#include "semantics/execute_concrete.hpp"
#include "semantics/integer.hpp"
#include "semantics/memory.hpp"
#include "semantics/moves.hpp"
#include "semantics/understood.hpp"

namespace picker::semantics {

// What the table says; `in` is a kData or kMemory instruction that is_understood().
template <class D>
void execute_understood(D& d, const Instruction& in) {
  if constexpr (ConcreteDomain<D>)
    if (execute_concrete(d, in)) return;
  switch (in.opcode) {
    case Opcode::kIADD3:
    case Opcode::kUIADD3:
    case Opcode::kIADD:
    case Opcode::kVIADD:
      return add3(d, in);
    case Opcode::kIADD_64:
    case Opcode::kUIADD3_64:
      return add3<D, OnPairs>(d, in);
    case Opcode::kIMAD:
    case Opcode::kUIMAD:
      return multiply_add(d, in);
    case Opcode::kLEA:
    case Opcode::kULEA:
      return shift_add(d, in);
    case Opcode::kSHF:
    case Opcode::kUSHF:
      return funnel_shift(d, in);
    case Opcode::kLOP3:
    case Opcode::kULOP3:
      return logic(d, in);
    case Opcode::kISETP:
    case Opcode::kUISETP:
      return integer_compare(d, in);
    case Opcode::kIMNMX:
    case Opcode::kUIMNMX:
    case Opcode::kVIMNMX:
    case Opcode::kUVIMNMX:
    case Opcode::kVIMNMX3:
    case Opcode::kVIADDMNMX:
      return minimum_maximum(d, in);
    case Opcode::kIABS:
      return absolute(d, in);
    case Opcode::kPRMT:
    case Opcode::kUPRMT:
      return permute(d, in);
    case Opcode::kSGXT:
    case Opcode::kUSGXT:
      return extend_sign(d, in);
    case Opcode::kPOPC:
    case Opcode::kUPOPC:
    case Opcode::kBREV:
    case Opcode::kUBREV:
      return count_bits(d, in);
    case Opcode::kMOV:
    case Opcode::kUMOV:
      return move(d, in);
    case Opcode::kSEL:
    case Opcode::kUSEL:
    case Opcode::kFSEL:
    case Opcode::kUFSEL:
      return select(d, in);
    case Opcode::kSEL_64:
    case Opcode::kUSEL_64:
      return select_pairs(d, in);
    case Opcode::kS2R:
    case Opcode::kS2UR:
    case Opcode::kCS2R:
    case Opcode::kCS2UR:
      return read_special(d, in);
    case Opcode::kR2UR:
      return to_uniform(d, in);
    case Opcode::kP2R:
      return predicates_to_register(d, in);
    case Opcode::kR2P:
      return register_to_predicates(d, in);
    case Opcode::kPLOP3:
    case Opcode::kUPLOP3:
      return predicate_logic(d, in);
    case Opcode::kFSETP:
    case Opcode::kUFSETP:
      return float_compare(d, in);
    case Opcode::kHFMA2:
      return half_constant(d, in);
    case Opcode::kLD:
    case Opcode::kLDG:
    case Opcode::kLDS:
    case Opcode::kLDL:
      return load(d, in);
    case Opcode::kST:
    case Opcode::kSTG:
    case Opcode::kSTS:
    case Opcode::kSTL:
      return store(d, in);
    case Opcode::kATOM:
    case Opcode::kATOMG:
    case Opcode::kATOMS:
    case Opcode::kRED:
    case Opcode::kREDG:
      return atomic(d, in);
    case Opcode::kLDGSTS:
      return copy_to_shared(d, in);
    case Opcode::kLDSM:
      return d.load_matrix(in);
    case Opcode::kLDC:
    case Opcode::kULDC:
    case Opcode::kLDCU:
      return load_constant(d, in);
    case Opcode::kSHFL:
    case Opcode::kVOTE:
    case Opcode::kVOTEU:
    case Opcode::kMATCH:
    case Opcode::kREDUX:
    case Opcode::kCREDUX:
    case Opcode::kELECT:
      return d.warp_value(in);
    default:
      return class_of(in) == Class::kMemory ? d.unmodelled_memory(in) : d.unmodelled(in);
  }
}

// The effect of a kData or kMemory instruction on the state of `d`, whose guard is set.
template <class D>
void execute(D& d, const Instruction& in) {
  if (is_understood(in)) return execute_understood(d, in);
  return class_of(in) == Class::kMemory ? d.unmodelled_memory(in) : d.unmodelled(in);
}

}  // namespace picker::semantics
