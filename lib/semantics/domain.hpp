// One meaning of each instruction, many domains of values.
//
// What `LEA.HI.X` does is written once, as a template over a *domain*: the emulator instantiates it
// with 32 concrete lanes, the analyzer with symbolic expressions of one thread, the witness walker
// with words that are known or not. Whatever the emulator is tested against therefore tests the
// very code the analyzer runs. docs/semantics.md describes the interface; the parts are
//
//   values     Word (32 bits), Wide (64 bits), Flag (1 bit), and the operations below on them,
//              all modulo their width;
//   state      registers, predicates and their uniform siblings. The engine that drives a domain
//              sets the guard (the @P of the instruction) beforehand; writes through set_* respect
//              it, so semantics never mention it: a warp keeps the lanes that are off, a symbolic
//              thread writes select(guard, new, old);
//   memory     load, store and atomic on a `MemoryReference`;
//   escape     `unmodelled(in)`: the results are data that nobody may interpret. A symbolic domain
//              defines every result register as a fresh unknown that inherits the marks of all
//              operands; a concrete domain stops the launch with the instruction's name.
//
// A domain D provides
//   types      Word, Wide, Flag
//   literals   word(u32), wide(u64), flag(bool); immediate(u32): a word encoded in the current
//              instruction, which the loader may have patched with a symbol's address
//   arithmetic add sub mul bit_and bit_or bit_xor bit_not shift_left shift_right
//              shift_right_signed equal less_unsigned less_signed select min/max by compare,
//              for Word and Wide; amounts of shifts are Words; amounts >= width shift everything
//              out. carry(a, b, Flag in) -> Flag for Word and Wide
//   flags      flag_and flag_or flag_xor flag_not
//   width      widen_unsigned widen_signed: Word -> Wide; low high: Wide -> Word;
//              join(high, low) -> Wide; field(Word, low bit, bits) -> Word zero-extended;
//              field_signed; bit(Word, n) -> Flag; from_flag(Flag) -> Word
//   counting   population_count(Word), leading_bit(Word) (index of the highest one, or ~0),
//              reverse_bits(Word)
//   state      reg set_reg ureg set_ureg pred set_pred upred set_upred
//   constants  constant_word(bank, Word byte_offset), constant_wide(...)
//   constness  std::optional<u32> known(Word): the value if it is the same for all threads and
//              known now (a shape decision in the semantics may depend on it, never a result)
//   special    special_register(number) -> Word
//   memory     load(ref) -> Words, store(ref, Words), atomic(in, ref, operands) -> Words
//   warp       warp_value(in): shuffles, votes, matches, reductions, elections
//   others     load_matrix(in) (LDSM), prefetch_flag(operand) (LDG's predicate result),
//              any_lane(in, Word) (R2UR), is_global_descriptor(uniform register)
//   escape     unmodelled(in), unmodelled_flag(in, operand), unmodelled_memory(in)
#pragma once

#include <array>
#include <optional>

#include "sass/instruction.hpp"
#include "support/types.hpp"

namespace picker::semantics {

enum class Space : u8 { kGlobal, kShared, kLocal, kGeneric };

// One access of one thread: `bytes` at `address`, in the address space's own addresses.
template <class D>
struct MemoryReference {
  Space space = Space::kGlobal;
  u32 bytes = 4;               // 1, 2, 4, 8, 16 or 32
  typename D::Wide address{};  // shared and local: 32-bit offsets, zero-extended
  const sass::Instruction* instruction = nullptr;
  bool asynchronous = false;                     // completes later (cp.async)
  std::optional<typename D::Flag> enabled = {};  // a second predicate: no access where false
};

inline constexpr u32 kMaxAccessWords = 8;

// Up to 32 bytes as words; sub-word loads are zero-extended in word 0.
template <class D>
using Words = std::array<typename D::Word, kMaxAccessWords>;

}  // namespace picker::semantics
