// What integer, predicate and comparison instructions compute, on words as the machine has them.
//
// Each word is built from its fields and must print as the text beside it (the printer is proved
// against nvdisasm), so that a test is about the instruction it names. The expected values are
// stated apart from lib/semantics, by the definitions in the PTX manual: 64-bit arithmetic for
// carries, compares and address forms, C++ floats for FSETP.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"
#include "tests/semantics/plain_thread.hpp"

namespace picker::semantics {
namespace {

using sass::Instruction;
using tests::PlainThread;

struct Bits {
  u32 at, count;
  u64 value;
};

Instruction encode(u64 opcode, std::initializer_list<Bits> fields, const std::string& text) {
  u64 half[2] = {opcode | (u64{7} << 12), u64{0x7e0} << 41};
  for (const Bits& f : fields) {
    const u64 mask = f.count >= 64 ? ~u64{0} : (u64{1} << f.count) - 1;
    u64& h = half[f.at / 64];
    h = (h & ~(mask << (f.at % 64))) | ((f.value & mask) << (f.at % 64));
  }
  const Instruction in = sass::Decoder(*sass::family_of(80)).decode(half[0], half[1], 0);
  EXPECT_EQ(sass::to_text(in, half[0], half[1]), text);
  return in;
}

constexpr u32 kZ = 255;
// Registers and predicates of the common places.
Bits dst(u64 r) { return {16, 8, r}; }
Bits a(u64 r) { return {24, 8, r}; }
Bits b(u64 r) { return {32, 8, r}; }
Bits imm(u64 x) { return {32, 32, x}; }
Bits c(u64 r) { return {64, 8, r}; }
Bits p81(u64 p) { return {81, 3, p}; }
Bits p84(u64 p) { return {84, 3, p}; }
Bits p87(u64 p) { return {87, 4, p}; }  // bit 3: negated
Bits p77(u64 p) { return {77, 4, p}; }
Bits p68(u64 p) { return {68, 4, p}; }

class Integer : public testing::Test {
 protected:
  PlainThread t;
  std::mt19937_64 random{12345};

  u32 number() {
    switch (random() % 6) {
      case 0:
        return static_cast<u32>(random() % 3);
      case 1:
        return 0u - static_cast<u32>(random() % 3);
      case 2:
        return u32{1} << (random() % 32);
      case 3:
        return 0x7fffffffu + static_cast<u32>(random() % 3);
      default:
        return static_cast<u32>(random());
    }
  }
  // Runs `check` on many random states; R1..R5 and P0..P5 are random. A result must be modelled.
  void on_random_states(const std::function<void()>& check, u32 times = 400) {
    for (u32 i = 0; i < times && !HasFailure(); ++i) {
      for (u32 r = 0; r < 6; ++r) t.regs[r] = number();
      if (random() % 3 == 0) t.regs[2] = t.regs[1];
      if (random() % 3 == 0) t.regs[4] = t.regs[3];
      for (u32 p = 0; p < 6; ++p) t.preds[p] = random() % 2 == 0;
      before = t.preds;
      check();
      EXPECT_EQ(t.unmodelled_count, 0u);
    }
  }
  u64 R(u32 n) const { return t.regs[n]; }
  i64 S(u32 n) const { return static_cast<i32>(t.regs[n]); }
  u64 pair(u32 low, u32 high) const { return (R(high) << 32) | R(low); }
  std::array<bool, 8> before{};
};

TEST_F(Integer, AddsThreeWithCarry) {
  const Instruction low =
      encode(0x210, {dst(10), a(1), b(2), c(kZ), p81(0), p84(7), p87(15), p77(15)},
             "IADD3 R10, P0, R1, R2, RZ");
  const Instruction high =
      encode(0x210, {dst(11), a(3), b(4), c(kZ), p81(7), p84(7), p87(0), p77(15), {74, 1, 1}},
             "IADD3.X R11, R3, R4, RZ, P0, !PT");
  on_random_states([&] {
    const u64 expected = pair(1, 3) + pair(2, 4);
    t.run(low);
    EXPECT_EQ(t.preds[0], R(1) + R(2) > 0xffffffffu);
    t.run(high);
    EXPECT_EQ(pair(10, 11), expected);
  });
}

TEST_F(Integer, SubtractsWithBorrow) {
  const Instruction low =
      encode(0x210, {dst(10), a(1), b(2), c(kZ), p81(0), p84(7), p87(15), p77(15), {63, 1, 1}},
             "IADD3 R10, P0, R1, -R2, RZ");
  const Instruction high = encode(
      0x210, {dst(11), a(3), b(4), c(kZ), p81(7), p84(7), p87(0), p77(15), {74, 1, 1}, {63, 1, 1}},
      "IADD3.X R11, R3, ~R4, RZ, P0, !PT");
  on_random_states([&] {
    const u64 expected = pair(1, 3) - pair(2, 4);
    t.run(low);
    EXPECT_EQ(t.preds[0], R(1) >= R(2));  // no borrow
    t.run(high);
    EXPECT_EQ(pair(10, 11), expected);
  });
}

TEST_F(Integer, MultipliesAndAdds) {
  const Instruction mad = encode(0x224, {dst(10), a(1), b(2), c(3), p81(7), p87(15), {73, 1, 1}},
                                 "IMAD R10, R1, R2, R3");
  const Instruction wide_signed = encode(
      0x225, {dst(10), a(1), b(2), c(4), p81(7), p87(15), {73, 1, 1}}, "IMAD.WIDE R10, R1, R2, R4");
  const Instruction wide_unsigned =
      encode(0x225, {dst(10), a(1), b(2), c(4), p81(7), p87(15)}, "IMAD.WIDE.U32 R10, R1, R2, R4");
  const Instruction high_unsigned =
      encode(0x227, {dst(10), a(1), b(2), c(4), p81(7), p87(15)}, "IMAD.HI.U32 R10, R1, R2, R4");
  on_random_states([&] {
    t.run(mad);
    EXPECT_EQ(t.regs[10], static_cast<u32>(R(1) * R(2) + R(3)));
    t.run(wide_signed);
    EXPECT_EQ(pair(10, 11), static_cast<u64>(S(1) * S(2)) + pair(4, 5));
    t.run(wide_unsigned);
    EXPECT_EQ(pair(10, 11), R(1) * R(2) + pair(4, 5));
    t.run(high_unsigned);
    EXPECT_EQ(R(10), (R(1) * R(2) + pair(4, 5)) >> 32);
  });
}

TEST_F(Integer, ScalesAndAddsAddresses) {
  for (u64 shift = 0; shift < 32; shift += 3) {
    const std::string n = fmt::format("{:#x}", shift);
    const Instruction low =
        encode(0x211, {dst(10), a(1), b(2), c(kZ), p81(0), p87(15), {75, 5, shift}},
               "LEA R10, P0, R1, R2, " + n);
    const Instruction high_x = encode(
        0x211, {dst(11), a(1), b(4), c(3), p81(7), p87(0), {75, 5, shift}, {74, 1, 1}, {80, 1, 1}},
        "LEA.HI.X R11, R1, R4, R3, " + n + ", P0");
    const Instruction sign = encode(
        0x211, {dst(11), a(1), b(4), c(kZ), p81(7), p87(0), {75, 5, shift}, {73, 2, 3}, {80, 1, 1}},
        "LEA.HI.X.SX32 R11, R1, R4, " + n + ", P0");
    on_random_states(
        [&] {
          // (the pair R3:R1 << shift) + the pair R4:R2, by halves.
          const u64 expected = (pair(1, 3) << shift) + pair(2, 4);
          t.run(low);
          t.run(high_x);
          EXPECT_EQ(pair(10, 11), expected);
          const u64 from_signed = (static_cast<u64>(S(1)) << shift) + pair(2, 4);
          t.run(sign);
          EXPECT_EQ(pair(10, 11), from_signed);
        },
        60);
  }
}

TEST_F(Integer, ShiftsFunnels) {
  struct Form {
    u64 type, left, wrap, high;
    const char* text;
  };
  // PTX shf: clamp takes min(n, 32), wrap takes n & 31; shl, shr clamp at the width.
  const Form forms[] = {
      {3, 1, 0, 0, "SHF.L.U32"},      {3, 1, 0, 1, "SHF.L.U32.HI"}, {3, 1, 1, 0, "SHF.L.W.U32"},
      {3, 1, 1, 1, "SHF.L.W.U32.HI"}, {3, 0, 0, 0, "SHF.R.U32"},    {3, 0, 0, 1, "SHF.R.U32.HI"},
      {2, 0, 0, 1, "SHF.R.S32.HI"},   {1, 1, 0, 1, "SHF.L.U64.HI"}, {1, 0, 0, 0, "SHF.R.U64"},
      {0, 0, 0, 0, "SHF.R.S64"},      {3, 0, 1, 0, "SHF.R.W.U32"},  {3, 0, 1, 1, "SHF.R.W.U32.HI"}};
  for (const Form& f : forms) {
    const Instruction in = encode(0x219,
                                  {dst(10),
                                   a(1),
                                   b(2),
                                   c(3),
                                   {76, 1, 1 - f.left},
                                   {75, 1, f.wrap},
                                   {73, 2, f.type},
                                   {80, 1, f.high}},
                                  std::string(f.text) + " R10, R1, R2, R3");
    const u32 width = f.type < 2 ? 64 : 32;
    const bool is_signed = f.type == 0 || f.type == 2;
    on_random_states(
        [&] {
          if (random() % 2 == 0) t.regs[2] = static_cast<u32>(random() % 70);
          const u64 n = f.wrap != 0 ? R(2) % width : std::min<u64>(R(2), width);
          const i128 extended = is_signed ? static_cast<i128>(static_cast<i64>(pair(1, 3)))
                                          : static_cast<i128>(static_cast<u128>(pair(1, 3)));
          const u64 whole = f.left != 0 ? static_cast<u64>(static_cast<u128>(pair(1, 3)) << n)
                                        : static_cast<u64>(extended >> n);
          t.run(in);
          EXPECT_EQ(R(10), f.high != 0 ? whole >> 32 : whole & 0xffffffffu) << f.text;
        },
        100);
  }
}

TEST_F(Integer, LooksBitsUpInAllTables) {
  for (u64 lut = 0; lut < 256; ++lut) {
    const Instruction in = encode(0x212, {dst(10), a(1), b(2), c(3), p81(0), p87(15), {72, 8, lut}},
                                  fmt::format("LOP3.LUT P0, R10, R1, R2, R3, {:#x}, !PT", lut));
    on_random_states(
        [&] {
          u32 expected = 0;
          for (u32 i = 0; i < 32; ++i) {
            const u64 row = ((R(1) >> i) & 1) * 4 + ((R(2) >> i) & 1) * 2 + ((R(3) >> i) & 1);
            expected |= static_cast<u32>((lut >> row) & 1) << i;
          }
          t.run(in);
          EXPECT_EQ(t.regs[10], expected) << lut;
          EXPECT_EQ(t.preds[0], expected != 0);
        },
        6);
  }
}

TEST_F(Integer, CombinesPredicatesByAllTables) {
  for (u64 lut = 0; lut < 256; ++lut) {
    const u64 other = lut ^ 0x5a;
    const Instruction in =
        encode(0x81c,
               {p81(4),
                p84(5),
                p87(0),
                p77(1),
                p68(2 + 8),
                {64, 3, lut & 7},
                {72, 5, lut >> 3},
                {16, 8, other}},
               fmt::format("PLOP3.LUT P4, P5, P0, P1, !P2, {:#x}, {:#x}", lut, other));
    on_random_states(
        [&] {
          const u32 row = (before[0] ? 4u : 0u) + (before[1] ? 2u : 0u) + (before[2] ? 0u : 1u);
          t.run(in);
          EXPECT_EQ(t.preds[4], ((lut >> row) & 1) != 0) << lut;
          EXPECT_EQ(t.preds[5], ((other >> row) & 1) != 0) << lut;
        },
        8);
  }
}

constexpr const char* kRelations[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
bool holds(u64 relation, int order) {  // order: -1, 0, 1
  switch (relation) {
    case 1:
      return order < 0;
    case 2:
      return order == 0;
    case 3:
      return order <= 0;
    case 4:
      return order > 0;
    case 5:
      return order != 0;
    case 6:
      return order >= 0;
    default:
      return relation == 7;
  }
}
template <class T>
int order_of(T x, T y) {
  return x < y ? -1 : x > y ? 1 : 0;
}

TEST_F(Integer, ComparesWords) {
  const char* const combine[] = {"AND", "OR", "XOR"};
  for (u64 relation = 0; relation < 8; ++relation)
    for (u64 is_signed = 0; is_signed < 2; ++is_signed)
      for (u64 how = 0; how < 3; ++how) {
        const Instruction in =
            encode(0x20c,
                   {a(1),
                    b(2),
                    p81(0),
                    p84(1),
                    p87(2 + 8),
                    p68(7),
                    {76, 3, relation},
                    {73, 1, is_signed},
                    {74, 2, how}},
                   fmt::format("ISETP.{}{}.{} P0, P1, R1, R2, !P2", kRelations[relation],
                               is_signed != 0 ? "" : ".U32", combine[how]));
        on_random_states(
            [&] {
              const bool result =
                  holds(relation, is_signed != 0 ? order_of(S(1), S(2)) : order_of(R(1), R(2)));
              const bool other = !before[2];
              const auto join = [&](bool x) {
                return how == 0 ? x && other : how == 1 ? x || other : x != other;
              };
              t.run(in);
              EXPECT_EQ(t.preds[0], join(result));
              EXPECT_EQ(t.preds[1], join(!result));
            },
            20);
      }
}

TEST_F(Integer, ComparesPairsByChains) {
  for (u64 relation = 1; relation < 7; ++relation)
    for (u64 is_signed = 0; is_signed < 2; ++is_signed) {
      const Instruction low =
          encode(0x20c, {a(1), b(2), p81(0), p84(7), p87(7), p68(7), {76, 3, relation}},
                 fmt::format("ISETP.{}.U32.AND P0, PT, R1, R2, PT", kRelations[relation]));
      const Instruction high =
          encode(0x20c,
                 {a(3),
                  b(4),
                  p81(1),
                  p84(7),
                  p87(7),
                  p68(0),
                  {76, 3, relation},
                  {73, 1, is_signed},
                  {72, 1, 1}},
                 fmt::format("ISETP.{}{}.AND.EX P1, PT, R3, R4, PT, P0", kRelations[relation],
                             is_signed != 0 ? "" : ".U32"));
      on_random_states(
          [&] {
            const int order = is_signed != 0 ? order_of(static_cast<i64>(pair(1, 3)),
                                                        static_cast<i64>(pair(2, 4)))
                                             : order_of(pair(1, 3), pair(2, 4));
            t.run(low);
            t.run(high);
            EXPECT_EQ(t.preds[1], holds(relation, order)) << kRelations[relation];
          },
          200);
    }
}

TEST_F(Integer, TakesMinimaMaximaAndMagnitudes) {
  const Instruction minimum =
      encode(0x217, {dst(10), a(1), b(2), p87(7), {73, 1, 1}}, "IMNMX R10, R1, R2, PT");
  const Instruction maximum =
      encode(0x217, {dst(11), a(1), b(2), p87(15), {73, 1, 0}}, "IMNMX.U32 R11, R1, R2, !PT");
  const Instruction magnitude = encode(0x213, {dst(12), b(1)}, "IABS R12, R1");
  on_random_states([&] {
    t.run(minimum);
    t.run(maximum);
    t.run(magnitude);
    EXPECT_EQ(t.regs[10], static_cast<u32>(std::min(S(1), S(2))));
    EXPECT_EQ(t.regs[11], std::max(R(1), R(2)));
    EXPECT_EQ(t.regs[12], static_cast<u32>(S(1) < 0 ? -S(1) : S(1)));
  });
}

TEST_F(Integer, PermutesBytes) {
  for (u32 i = 0; i < 400; ++i) {
    const u64 selector = i < 16 ? 0x1111u * i : random() & 0xffff;
    const Instruction in = encode(0x816, {dst(10), a(1), imm(selector), c(3)},
                                  fmt::format("PRMT R10, R1, {:#x}, R3", selector));
    on_random_states(
        [&] {
          u32 expected = 0;
          for (u32 n = 0; n < 4; ++n) {
            const u32 pick = (selector >> (4 * n)) & 0xf;
            u32 byte = static_cast<u32>((pair(1, 3) >> (8 * (pick & 7))) & 0xff);
            if (pick & 8) byte = (byte & 0x80) != 0 ? 0xff : 0;
            expected |= byte << (8 * n);
          }
          t.run(in);
          EXPECT_EQ(t.regs[10], expected) << std::hex << selector;
        },
        4);
  }
}

TEST_F(Integer, ExtendsSigns) {
  for (u64 bits = 1; bits <= 32; ++bits)
    for (u64 is_signed = 0; is_signed < 2; ++is_signed) {
      const Instruction in =
          encode(0x81a, {dst(10), a(1), imm(bits), {73, 1, is_signed}},
                 fmt::format("SGXT{} R10, R1, {:#x}", is_signed != 0 ? "" : ".U32", bits));
      on_random_states(
          [&] {
            t.run(in);
            const u64 up = R(1) << (64 - bits);
            EXPECT_EQ(t.regs[10],
                      static_cast<u32>(is_signed != 0
                                           ? static_cast<u64>(static_cast<i64>(up) >> (64 - bits))
                                           : up >> (64 - bits)));
          },
          10);
    }
}

TEST_F(Integer, MovesPredicatesAsBits) {
  const Instruction to_register =
      encode(0x803, {dst(10), a(1), imm(0x2d)}, "P2R R10, PR, R1, 0x2d");
  const Instruction to_predicates = encode(0x804, {a(1), imm(0x5a)}, "R2P PR, R1, 0x5a");
  on_random_states([&] {
    u32 expected = t.regs[1] & ~0x2du;
    for (u32 i = 0; i < 7; ++i)
      if (((0x2d >> i) & 1) != 0 && before[i]) expected |= 1u << i;
    t.run(to_register);
    EXPECT_EQ(t.regs[10], expected);
    t.run(to_predicates);
    for (u32 i = 0; i < 7; ++i)
      EXPECT_EQ(t.preds[i], ((0x5a >> i) & 1) != 0 ? ((R(1) >> i) & 1) != 0 : before[i]);
  });
}

// Forms whose result is not modelled must lose it, all of it.
TEST_F(Integer, LosesWhatIsNotModelled) {
  const Instruction other_byte =
      encode(0x804, {a(1), imm(0x7f), {76, 2, 1}}, "R2P PR, R1.B1, 0x7f");
  std::array<u32, 7> changed{};
  for (u32 i = 0; i < 200; ++i) {
    t.preds = {};
    t.run(other_byte);
    for (u32 p = 0; p < 7; ++p) changed[p] += t.preds[p] ? 1 : 0;
  }
  for (u32 p = 0; p < 7; ++p) EXPECT_GT(changed[p], 50u) << "P" << p;
  // The carry of a negated, shifted operand.
  t.unmodelled_count = 0;
  t.run(encode(0x211, {dst(10), a(1), b(2), c(kZ), p81(0), p87(15), {75, 5, 2}, {72, 1, 1}},
               "LEA R10, P0, -R1, R2, 0x2"));
  EXPECT_EQ(t.unmodelled_count, 1u);
  EXPECT_EQ(t.regs[10], static_cast<u32>(R(2) - 4 * R(1)));
}

TEST_F(Integer, ComparesFloats) {
  const char* const names[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                               "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
  const u32 special[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x807fffff,
                         0x800000,   0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                         0x7f800000, 0xff800000, 0x7f800001, 0xff800001, 0x7fc00000, 0xffc00000};
  for (u64 relation = 0; relation < 16; ++relation)
    for (u64 flush = 0; flush < 2; ++flush) {
      const Instruction in =
          encode(0x20b, {a(1), b(2), p81(0), p84(7), p87(7), {76, 4, relation}, {80, 1, flush}},
                 fmt::format("FSETP.{}{}.AND P0, PT, R1, R2, PT", names[relation],
                             flush != 0 ? ".FTZ" : ""));
      for (u32 i = 0; i < 18 * 18 + 200; ++i) {
        t.regs[1] = i < 18 * 18 ? special[i / 18] : static_cast<u32>(random());
        t.regs[2] = i < 18 * 18 ? special[i % 18] : static_cast<u32>(random());
        const auto value = [&](u32 bits) {
          const float x = std::bit_cast<float>(bits);
          return flush != 0 && std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x;
        };
        const float x = value(t.regs[1]), y = value(t.regs[2]);
        const bool unordered = std::isnan(x) || std::isnan(y);
        bool expected = false;
        switch (relation & 7) {
          case 1:
            expected = x < y;
            break;
          case 2:
            expected = x == y;
            break;
          case 3:
            expected = x <= y;
            break;
          case 4:
            expected = x > y;
            break;
          case 5:
            expected = x < y || x > y;
            break;
          case 6:
            expected = x >= y;
            break;
          default:
            break;
        }
        if (relation == 7) expected = !unordered;
        if (relation == 8) expected = unordered;
        if (relation > 8) expected |= unordered;
        if (relation == 15) expected = true;
        t.run(in);
        ASSERT_EQ(t.preds[0], expected)
            << names[relation] << std::hex << " " << t.regs[1] << " " << t.regs[2];
      }
    }
}

}  // namespace
}  // namespace picker::semantics
