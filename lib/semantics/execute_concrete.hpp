// The table of meanings that only concrete domains have.
#pragma once

#include "semantics/float.hpp"
#include "semantics/half.hpp"
#include "semantics/integer_lanes.hpp"
#include "semantics/matrix.hpp"
#include "semantics/volta_matrix.hpp"

namespace picker::semantics {

// Executes `in` if its meaning is one of those; false: the table of all domains has it.
template <ConcreteDomain D>
bool execute_concrete(D& d, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::kIADD3:
    case Opcode::kUIADD3:
      return add3_with_two_carries(d, in);
    case Opcode::kPRMT:
    case Opcode::kUPRMT:
      return permute_lanes(d, in);
    case Opcode::kSGXT:
    case Opcode::kUSGXT:
      return extend_sign_lanes(d, in);
    case Opcode::kFLO:
    case Opcode::kUFLO:
      return find_leading_one(d, in);
    case Opcode::kBMSK:
    case Opcode::kUBMSK:
      return make_mask(d, in);
    case Opcode::kIDP:
      return dot_product(d, in);
    case Opcode::kVABSDIFF:
    case Opcode::kVABSDIFF4:
      return absolute_difference(d, in);
    case Opcode::kLEPC:
      d.write_code_address(in);
      return true;
    case Opcode::kFADD:
    case Opcode::kUFADD:
    case Opcode::kFMUL:
    case Opcode::kUFMUL:
    case Opcode::kFFMA:
    case Opcode::kUFFMA:
      return single_arithmetic(d, in), true;
    case Opcode::kDADD:
    case Opcode::kDMUL:
    case Opcode::kDFMA:
      return double_arithmetic(d, in), true;
    case Opcode::kDSETP:
      return double_compare(d, in), true;
    case Opcode::kFSET:
      return single_set(d, in), true;
    case Opcode::kFMNMX:
    case Opcode::kFMNMX3:
      return single_minimum(d, in), true;
    case Opcode::kFSEL:
    case Opcode::kUFSEL:
      return single_select(d, in), true;
    case Opcode::kFCHK:
      return division_check(d, in), true;
    case Opcode::kMUFU:
      return approximated(d, in), true;
    case Opcode::kF2F:
    case Opcode::kFRND:
      return convert_float(d, in), true;
    case Opcode::kF2I:
    case Opcode::kUF2I:
      return float_to_integer(d, in), true;
    case Opcode::kI2F:
    case Opcode::kUI2F:
    case Opcode::kI2FP:
    case Opcode::kUI2FP:
      return integer_to_float(d, in), true;
    case Opcode::kF2FP:
      return pack_floats(d, in), true;
    case Opcode::kHADD2:
    case Opcode::kHMUL2:
    case Opcode::kHFMA2:
      return half_arithmetic(d, in), true;
    case Opcode::kHMNMX2:
      return half_minimum(d, in), true;
    case Opcode::kHSETP2:
      return half_compare(d, in), true;
    case Opcode::kHSET2:
      return half_set(d, in), true;
    // All lanes of the warp take part in these.
    case Opcode::kHMMA:
      if (d.executing().bits != ~u32{0}) return false;
      return in.has(Field::kShape, Value::k884) ? volta_matrix(d, in) : half_matrix(d, in);
    case Opcode::kIMMA:
      return d.executing().bits == ~u32{0} && integer_matrix(d, in);
    case Opcode::kDMMA:
      return d.executing().bits == ~u32{0} && double_matrix(d, in);
    case Opcode::kMOVM:
      return d.executing().bits == ~u32{0} && move_matrix(d, in);
    default:
      return false;
  }
}

}  // namespace picker::semantics
