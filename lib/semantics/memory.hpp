// Loads, stores and atomics: which bytes, at which address, with which registers.
#pragma once

#include "sass/registers.hpp"
#include "semantics/operands.hpp"

namespace picker::semantics {

// The effective address of a memory operand as a 64-bit value, or nothing for a form that is not
// modelled (32-bit global addresses, scaled bases of 64-bit pairs, a descriptor the domain does not
// know). Shared and local addresses are 32-bit offsets, zero-extended after the 32-bit sum.
template <class D>
std::optional<typename D::Wide> effective_address(D& d, const Operand& operand, bool is_wide) {
  if (operand.kind != OperandKind::kAddress) return std::nullopt;
  if (operand.has_descriptor &&
      (operand.descriptor_is_half || !d.is_global_descriptor(operand.descriptor)))
    return std::nullopt;
  const u32 offset = static_cast<u32>(operand.value);
  if (!is_wide) {
    typename D::Word base = d.word(0);
    if (operand.has_reg && operand.reg != sass::kRZ) base = d.reg(operand.reg);
    if (operand.scale != 0) base = d.shift_left(base, d.word(operand.scale));
    if (operand.has_ureg && operand.ureg != sass::kURZ) base = d.add(base, d.ureg(operand.ureg));
    return d.widen_unsigned(d.add(base, d.word(offset)));
  }
  if (operand.scale != 0) return std::nullopt;
  typename D::Wide base = d.wide(0);
  if (operand.has_reg && operand.reg != sass::kRZ) {
    // A form without uniform register always names a pair; the others say which.
    if (operand.wide || !operand.has_ureg)
      base = d.join(d.reg(static_cast<u8>(operand.reg + 1)), d.reg(operand.reg));
    else if (operand.base_is_u32)
      base = d.widen_unsigned(d.reg(operand.reg));
    else
      return std::nullopt;
  }
  if (operand.has_ureg && operand.ureg != sass::kURZ)
    base = d.add(base, d.join(d.ureg(static_cast<u8>(operand.ureg + 1)), d.ureg(operand.ureg)));
  return d.add(base, d.wide(static_cast<u64>(operand.value)));
}

struct AccessSize {
  u32 bytes = 0;
  bool is_signed = false;
};

[[nodiscard]] inline std::optional<AccessSize> access_size(const Instruction& in) {
  const std::optional<Value> size = in.modifier(Field::kSize);
  if (!size) return std::nullopt;
  switch (*size) {
    case Value::kU8:
      return AccessSize{1, false};
    case Value::kS8:
      return AccessSize{1, true};
    case Value::kU16:
      return AccessSize{2, false};
    case Value::kS16:
      return AccessSize{2, true};
    case Value::k32:
    case Value::kNone:
      return AccessSize{4, false};
    case Value::k64:
      return AccessSize{8, false};
    case Value::k128:
      return AccessSize{16, false};
    default:
      return std::nullopt;
  }
}

[[nodiscard]] inline std::optional<Space> space_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLD:
    case Opcode::kST:
    case Opcode::kATOM:
      return Space::kGeneric;
    case Opcode::kLDG:
    case Opcode::kSTG:
    case Opcode::kATOMG:
    case Opcode::kRED:
    case Opcode::kREDG:
      return Space::kGlobal;
    case Opcode::kLDS:
    case Opcode::kSTS:
    case Opcode::kATOMS:
      return Space::kShared;
    case Opcode::kLDL:
    case Opcode::kSTL:
      return Space::kLocal;
    default:
      return std::nullopt;
  }
}

// Whether a global or generic access uses 64-bit addresses (.E); others have 32-bit offsets.
[[nodiscard]] inline bool has_wide_address(const Instruction& in, Space space) {
  return (space == Space::kGlobal || space == Space::kGeneric) &&
         in.has(Field::kAddressExtended, Value::kE);
}

template <class D>
std::optional<MemoryReference<D>> memory_reference(D& d, const Instruction& in, Space space,
                                                   u32 bytes) {
  const Operand* operand = in.find(Role::kAddress);
  if (operand == nullptr) return std::nullopt;
  const bool narrow_space = space == Space::kShared || space == Space::kLocal;
  if (!narrow_space && !has_wide_address(in, space)) return std::nullopt;
  const auto address = effective_address(d, *operand, !narrow_space);
  if (!address) return std::nullopt;
  MemoryReference<D> reference;
  reference.space = space;
  reference.bytes = bytes;
  reference.address = *address;
  reference.instruction = &in;
  return reference;
}

// LD, LDG, LDS, LDL.
template <class D>
void load(D& d, const Instruction& in) {
  const std::optional<Space> space = space_of(in.opcode);
  const std::optional<AccessSize> size = access_size(in);
  if (!space || !size) return d.unmodelled_memory(in);
  auto reference = memory_reference(d, in, *space, size->bytes);
  if (!reference) return d.unmodelled_memory(in);
  // A second, inverted or plain, source predicate switches the access off and fills with zero.
  if (const Operand* p = in.find(Role::kPSrc); p != nullptr && p->reg != sass::kPT)
    reference->enabled = read_flag(d, p);
  Words<D> words = d.load(*reference);
  const Operand& dst = *in.find(Role::kDst);
  if (size->bytes < 4) {
    words[0] = size->is_signed ? d.field_signed(words[0], 0, 8 * size->bytes)
                               : d.field(words[0], 0, 8 * size->bytes);
  }
  for (u32 i = 0; i < (size->bytes + 3) / 4; ++i) write_word(d, dst, words[i], i);
  // LDG's predicate result says whether the prefetched sector hit: never interpreted.
  if (const Operand* p = in.find(Role::kPDst); p != nullptr && p->reg != sass::kPT)
    d.prefetch_flag(*p);
}

template <class D>
Words<D> read_data(D& d, const Operand& operand, u32 words) {
  Words<D> data;
  data.fill(d.word(0));
  for (u32 i = 0; i < words; ++i) data[i] = read_raw_word(d, operand, i);
  return data;
}

// ST, STG, STS, STL.
template <class D>
void store(D& d, const Instruction& in) {
  const std::optional<Space> space = space_of(in.opcode);
  const std::optional<AccessSize> size = access_size(in);
  const Operand* data = in.find(Role::kB);
  if (!space || !size || data == nullptr) return d.unmodelled_memory(in);
  const auto reference = memory_reference(d, in, *space, size->bytes);
  if (!reference) return d.unmodelled_memory(in);
  d.store(*reference, read_data(d, *data, (size->bytes + 3) / 4));
}

// ATOM, ATOMG, ATOMS, RED: bytes from the data type.
[[nodiscard]] inline std::optional<u32> atomic_bytes(const Instruction& in) {
  const std::optional<Value> type = in.modifier(Field::kType);
  if (!type) return std::nullopt;
  const u32 bytes = sass::bytes_of(*type);
  if (bytes != 4 && bytes != 8 && bytes != 16) return std::nullopt;
  return bytes;
}

template <class D>
void atomic(D& d, const Instruction& in) {
  const std::optional<Space> space = space_of(in.opcode);
  const std::optional<u32> bytes = atomic_bytes(in);
  if (!space || !bytes) return d.unmodelled_memory(in);
  const auto reference = memory_reference(d, in, *space, *bytes);
  if (!reference) return d.unmodelled_memory(in);
  const Operand *b = in.find(Role::kB), *c = in.find(Role::kC);
  Words<D> data, comparand;
  data.fill(d.word(0));
  comparand.fill(d.word(0));
  if (b != nullptr) data = read_data(d, *b, *bytes / 4);
  if (c != nullptr) comparand = read_data(d, *c, *bytes / 4);
  d.atomic(in, *reference, data, comparand);
}

// LDGSTS: an asynchronous copy from global to shared memory.
template <class D>
void copy_to_shared(D& d, const Instruction& in) {
  const std::optional<AccessSize> size = access_size(in);
  const Operand *global = in.find(Role::kAddress), *shared = in.find(Role::kAddress2);
  if (!size || global == nullptr || shared == nullptr ||
      !in.has(Field::kAddressExtended, Value::kE))
    return d.unmodelled_memory(in);
  const auto from = effective_address(d, *global, true);
  const auto to = effective_address(d, *shared, false);
  if (!from || !to) return d.unmodelled_memory(in);
  MemoryReference<D> source, target;
  source.space = Space::kGlobal;
  target.space = Space::kShared;
  source.bytes = target.bytes = size->bytes;
  source.address = *from;
  target.address = *to;
  source.instruction = target.instruction = &in;
  source.asynchronous = target.asynchronous = true;
  if (const Operand* p = in.find(Role::kPSrc); p != nullptr && p->reg != sass::kPT)
    source.enabled = read_flag(d, p);
  d.store(target, d.load(source));
}

// LDC, ULDC: constant bank at a register offset.
template <class D>
void load_constant(D& d, const Instruction& in) {
  const Operand *source = in.find(Role::kA), *dst = in.find(Role::kDst);
  if (source == nullptr) source = in.find(Role::kB);
  const std::optional<AccessSize> size = access_size(in);
  if (source == nullptr || source->kind != OperandKind::kConstant || !size ||
      !plain(in, Field::kIndexMode))
    return d.unmodelled(in);
  typename D::Word offset = d.word(static_cast<u32>(source->value));
  if (source->has_reg && source->reg != sass::kRZ) offset = d.add(offset, d.reg(source->reg));
  if (source->has_ureg && source->ureg != sass::kURZ) offset = d.add(offset, d.ureg(source->ureg));
  if (size->bytes < 4) {
    const typename D::Word x = d.constant_bytes(in, source->bank, offset, size->bytes);
    return write_word(d, *dst, size->is_signed ? d.field_signed(x, 0, 8 * size->bytes) : x);
  }
  for (u32 i = 0; i < size->bytes / 4; ++i)
    write_word(d, *dst, d.constant_bytes(in, source->bank, d.add(offset, d.word(4 * i)), 4), i);
}

}  // namespace picker::semantics
