// The plainest value domain: one thread, every word known. For tests of the semantics themselves
// and as the other side of tests of the symbolic domain.
//
// What the semantics leave open (`unmodelled`) becomes a random word, so that nothing can come to
// rest on it; `unmodelled_count` says how often that happened.
#pragma once

#include <array>
#include <map>
#include <random>

#include "sass/registers.hpp"
#include "semantics/execute.hpp"

namespace picker::tests {

struct PlainThread {
  using Word = u32;
  using Wide = u64;
  using Flag = bool;
  using Instruction = sass::Instruction;

  std::array<u32, 256> regs{}, uregs{};
  std::array<bool, 8> preds{}, upreds{};
  std::map<u32, u32> bank0;  // words by byte offset
  std::array<u32, 3> thread{}, block{};
  bool guard = true;
  u32 unmodelled_count = 0;
  std::mt19937 junk{1};

  PlainThread() { preds[7] = upreds[7] = true; }

  void run(const Instruction& in) {
    guard = (in.guard_uniform ? upred(in.guard) : pred(in.guard)) != in.guard_negated;
    if (guard) semantics::execute(*this, in);
  }

  static u32 word(u32 x) { return x; }
  static u64 wide(u64 x) { return x; }
  static bool flag(bool x) { return x; }
  static u32 immediate(u32 x) { return x; }
  template <class T>
  static T add(T a, T b) {
    return static_cast<T>(a + b);
  }
  template <class T>
  static T sub(T a, T b) {
    return static_cast<T>(a - b);
  }
  template <class T>
  static T mul(T a, T b) {
    return static_cast<T>(a * b);
  }
  template <class T>
  static T bit_and(T a, T b) {
    return a & b;
  }
  template <class T>
  static T bit_or(T a, T b) {
    return a | b;
  }
  template <class T>
  static T bit_xor(T a, T b) {
    return a ^ b;
  }
  template <class T>
  static T bit_not(T a) {
    return static_cast<T>(~a);
  }
  template <class T>
  static T shift_left(T a, u32 n) {
    return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << n);
  }
  template <class T>
  static T shift_right(T a, u32 n) {
    return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a >> n);
  }
  template <class T>
  static T shift_right_signed(T a, u32 n) {
    const u32 most = 8 * sizeof(T) - 1;
    return static_cast<T>(static_cast<std::make_signed_t<T>>(a) >> (n > most ? most : n));
  }
  template <class T>
  static bool equal(T a, T b) {
    return a == b;
  }
  template <class T>
  static bool less_unsigned(T a, T b) {
    return a < b;
  }
  template <class T>
  static bool less_signed(T a, T b) {
    return static_cast<std::make_signed_t<T>>(a) < static_cast<std::make_signed_t<T>>(b);
  }
  template <class T>
  static T select(bool c, T a, T b) {
    return c ? a : b;
  }
  static u32 minimum(bool is_signed, u32 a, u32 b) {
    return (is_signed ? less_signed(a, b) : a < b) ? a : b;
  }
  static u32 maximum(bool is_signed, u32 a, u32 b) {
    return (is_signed ? less_signed(a, b) : a < b) ? b : a;
  }
  template <class T>
  static bool carry(T a, T b, bool in) {
    return ((static_cast<u128>(a) + b + (in ? 1 : 0)) >> (8 * sizeof(T))) != 0;
  }
  static bool flag_and(bool a, bool b) { return a && b; }
  static bool flag_or(bool a, bool b) { return a || b; }
  static bool flag_xor(bool a, bool b) { return a != b; }
  static bool flag_not(bool a) { return !a; }
  static u64 widen_unsigned(u32 a) { return a; }
  static u64 widen_signed(u32 a) { return static_cast<u64>(i64{static_cast<i32>(a)}); }
  static u32 low(u64 a) { return static_cast<u32>(a); }
  static u32 high(u64 a) { return static_cast<u32>(a >> 32); }
  static u64 join(u32 h, u32 l) { return (u64{h} << 32) | l; }
  static u32 field(u32 a, u32 at, u32 bits) {
    return static_cast<u32>((u64{a} >> at) & ((u64{1} << bits) - 1));
  }
  static u32 field_signed(u32 a, u32 at, u32 bits) {
    const u64 x = field(a, at, bits), sign = u64{1} << (bits - 1);
    return static_cast<u32>((x ^ sign) - sign);
  }
  static bool bit(u32 a, u32 n) { return ((a >> n) & 1) != 0; }
  static u32 from_flag(bool a) { return a ? 1 : 0; }
  static u32 population_count(u32 a) { return static_cast<u32>(__builtin_popcount(a)); }
  static u32 reverse_bits(u32 a) {
    u32 out = 0;
    for (u32 i = 0; i < 32; ++i) out |= ((a >> i) & 1) << (31 - i);
    return out;
  }
  static std::optional<u32> known(u32 a) { return a; }
  std::optional<bool> compare_extended(sass::Value relation, bool is_signed, u32 a, u32 b,
                                       bool low_flag) {
    return semantics::compare_high_word(*this, relation, is_signed, a, b, low_flag);
  }

  u32 reg(u8 n) const { return n == sass::kRZ ? 0 : regs[n]; }
  u32 ureg(u8 n) const { return n == sass::kURZ ? 0 : uregs[n]; }
  bool pred(u8 n) const { return n == sass::kPT || preds[n]; }
  bool upred(u8 n) const { return n == sass::kPT || upreds[n]; }
  void set_reg(u8 n, u32 x) {
    if (n != sass::kRZ) regs[n] = x;
  }
  void set_ureg(u8 n, u32 x) {
    if (n != sass::kURZ) uregs[n] = x;
  }
  void set_pred(u8 n, bool x) {
    if (n != sass::kPT) preds[n] = x;
  }
  void set_upred(u8 n, bool x) {
    if (n != sass::kPT) upreds[n] = x;
  }

  u32 constant_word(u8 bank, u32 offset) {
    const auto it = bank0.find(offset);
    return bank == 0 && it != bank0.end() ? it->second : static_cast<u32>(junk());
  }
  u64 constant_wide(u8 bank, u32 offset) {
    return join(constant_word(bank, offset + 4), constant_word(bank, offset));
  }
  u32 constant_bytes(const Instruction&, u8 bank, u32 offset, u32 bytes) {
    return bytes == 4 ? constant_word(bank, offset) : field(static_cast<u32>(junk()), 0, 8 * bytes);
  }
  static bool is_global_descriptor(u8) { return true; }
  u32 special_register(const Instruction&, u32 number, u32 index) {
    using sass::SpecialRegister;
    if (number == static_cast<u32>(SpecialRegister::kZero)) return 0;
    if (index == 0) {
      switch (static_cast<SpecialRegister>(number)) {
        case SpecialRegister::kThreadIdX:
          return thread[0];
        case SpecialRegister::kThreadIdY:
          return thread[1];
        case SpecialRegister::kThreadIdZ:
          return thread[2];
        case SpecialRegister::kBlockIdX:
          return block[0];
        case SpecialRegister::kBlockIdY:
          return block[1];
        case SpecialRegister::kBlockIdZ:
          return block[2];
        default:
          break;
      }
    }
    return static_cast<u32>(junk());
  }
  static u32 any_lane(const Instruction&, u32 x) { return x; }

  using Data = semantics::Words<PlainThread>;
  using Reference = semantics::MemoryReference<PlainThread>;
  Data load(const Reference& ref) {
    Data words{};
    for (u32& x : words) x = static_cast<u32>(junk());
    if (ref.bytes < 4) words[0] = field(words[0], 0, 8 * ref.bytes);
    return words;
  }
  void store(const Reference&, const Data&) {}
  void atomic(const Instruction& in, const Reference&, const Data&, const Data&) { lose(in); }
  void warp_value(const Instruction& in) { lose(in); }
  void load_matrix(const Instruction& in) { lose(in); }
  void unmodelled(const Instruction& in) { lose(in); }
  void unmodelled_memory(const Instruction& in) { lose(in); }
  void unmodelled_flag(const Instruction&, const sass::Operand& operand) {
    ++unmodelled_count;
    if (operand.kind == sass::OperandKind::kUniformPredicate)
      set_upred(operand.reg, junk() % 2 == 0);
    else
      set_pred(operand.reg, junk() % 2 == 0);
  }
  void prefetch_flag(const sass::Operand& operand) { set_pred(operand.reg, junk() % 2 == 0); }

 private:
  void lose(const Instruction& in) {
    ++unmodelled_count;
    sass::for_each_def(in, [&](sass::RegisterFile file, u8 n) {
      switch (file) {
        case sass::RegisterFile::kGeneral:
          set_reg(n, static_cast<u32>(junk()));
          break;
        case sass::RegisterFile::kUniform:
          set_ureg(n, static_cast<u32>(junk()));
          break;
        case sass::RegisterFile::kPredicate:
          set_pred(n, junk() % 2 == 0);
          break;
        case sass::RegisterFile::kUniformPredicate:
          set_upred(n, junk() % 2 == 0);
          break;
        case sass::RegisterFile::kBarrier:
          break;
      }
    });
  }
};

}  // namespace picker::tests
