// The decoder and printer on single words. Expected texts are nvdisasm's.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"
#include "sass/registers.hpp"
#include "sass/rows.hpp"

namespace picker::sass {
namespace {

Instruction decode80(u64 hi, u64 lo, u64 offset = 0) {
  return Decoder(Family::kSm80).decode(lo, hi, offset);
}

std::string text80(u64 hi, u64 lo, u64 offset = 0) {
  return to_text(decode80(hi, lo, offset), lo, hi);
}

using Registers = std::set<std::pair<RegisterFile, u8>>;

Registers defs(const Instruction& instruction) {
  Registers found;
  for_each_def(instruction, [&](RegisterFile file, u8 number) { found.emplace(file, number); });
  return found;
}

Registers uses(const Instruction& instruction) {
  Registers found;
  for_each_use(instruction, [&](RegisterFile file, u8 number) { found.emplace(file, number); });
  return found;
}

TEST(SassDecoder, PrintsLikeNvdisasm) {
  EXPECT_EQ(text80(0x040fe400007e2431, 0x000063002a317a10),
            "IADD3.X R49, R42.reuse, c[0x0][0x18c], R49, P0, P1");
  EXPECT_EQ(text80(0x000162000c1e1900, 0x001480067e51d981), "@!P5 LDG.E R81, [R126.64+0x1480]");
  EXPECT_EQ(text80(0x000fe400078e0054, 0x000000ffff487224), "IMAD.MOV.U32 R72, RZ, RZ, R84");
  EXPECT_EQ(text80(0x001fe20000001828, 0x000000208c28723c), "HMMA.16816.F32 R40, R140, R32, R40");
  EXPECT_EQ(text80(0x000fc80000000100, 0x7ff000000e127429), "DADD R18, -R14, +INF ");
}

TEST(SassDecoder, RejectsSilentBits) {
  // Bit 76 of IADD3 prints nothing in nvdisasm; no compiler sets it.
  EXPECT_TRUE(decode80(0x000fe20007ffe0ff, 0x0000000304067210).known());
  EXPECT_FALSE(decode80(0x000fe20007fff0ff, 0x0000000304067210).known());
  // Bit 126.
  EXPECT_FALSE(decode80(0x400fe20007ffe0ff, 0x0000000304067210).known());
}

TEST(SassDecoder, RejectsUnlistedModifierValues) {
  // REDUX operation 5 is MAX; 6 and 7 do not exist.
  EXPECT_TRUE(decode80(0x001e240000014200, 0x00000000060673c4).known());
  EXPECT_FALSE(decode80(0x001e24000001c200, 0x00000000060673c4).known());
}

TEST(SassDecoder, RejectsIllegalScheduling) {
  // Stall count 0 while staying, and write scoreboard 6.
  EXPECT_FALSE(decode80(0x000fe00007ffe0ff, 0x0000000304067210).known());
  EXPECT_FALSE(decode80(0x000fa20007ffe0ff, 0x0000000304067210).known());
}

TEST(SassDecoder, ResolvesBranchTargets) {
  const Instruction bra = decode80(0x000fea0003800000, 0x0000014000003947, 0xf60);
  ASSERT_NE(bra.find(Role::kTarget), nullptr);
  EXPECT_EQ(bra.find(Role::kTarget)->value, 0x10b0);
  EXPECT_EQ(bra.guard, 3);
  EXPECT_EQ(flow_class(bra), FlowClass::kBranch);
  EXPECT_TRUE(is_control_flow(Opcode::kBRA));
  EXPECT_FALSE(is_control_flow(Opcode::kIADD3));
}

TEST(SassDecoder, GivesDefinitionsAndUsesWithWidths) {
  using enum RegisterFile;
  // IMAD.WIDE R12, R2, 0x4, R12: a pair is written, a pair is added.
  const Instruction wide = decode80(0x000fe200078e020c, 0x00000004020c7825);
  EXPECT_EQ(defs(wide), (Registers{{kGeneral, 12}, {kGeneral, 13}}));
  EXPECT_EQ(uses(wide), (Registers{{kGeneral, 2}, {kGeneral, 12}, {kGeneral, 13}}));
  EXPECT_TRUE(wide.has(Field::kMulMode, Value::kWIDE));
  // @!P5 LDG.E R81, [R126.64+0x1480]: guard, address pair and descriptor pair are read.
  const Instruction load = decode80(0x000162000c1e1900, 0x001480067e51d981);
  EXPECT_EQ(defs(load), (Registers{{kGeneral, 81}}));
  EXPECT_EQ(
      uses(load),
      (Registers{{kPredicate, 5}, {kGeneral, 126}, {kGeneral, 127}, {kUniform, 6}, {kUniform, 7}}));
}

TEST(SassDecoder, GivesMemoryEffects) {
  const MemoryEffect load = memory_effect(decode80(0x000ea2000c1e1d00, 0x0000000e16087981));
  EXPECT_EQ(load.space, MemorySpace::kGlobal);
  EXPECT_EQ(load.access, MemoryAccess::kRead);
  EXPECT_EQ(load.bytes, 16u);
  const MemoryEffect red = memory_effect(decode80(0x0005e8000c10ed8a, 0x000200482800798e));
  EXPECT_EQ(red.access, MemoryAccess::kReadWrite);
  EXPECT_EQ(red.bytes, 8u);
  EXPECT_EQ(memory_effect(decode80(0x000fe20007ffe0ff, 0x0000000304067210)).access,
            MemoryAccess::kNone);
}

TEST(SassDecoder, NamesSpecialRegistersByFamily) {
  constexpr u64 kHi = 0x000e220000008800, kLo = 0x0000000000028919;
  const Instruction read = Decoder(Family::kSm90).decode(kLo, kHi, 0);
  EXPECT_EQ(to_text(read, kLo, kHi), "@!P0 S2R R2, SR_CgaCtaId");
  EXPECT_FALSE(decode80(kHi, kLo).known());  // no clusters there
}

TEST(SassDecoder, ReadsTheUpperHalfOfAConstantBank) {
  // From a kernel with 32,412 bytes of parameters at 0x1a80: the word 8000 of an array at byte 8.
  constexpr u64 kHi = 0x004fca00078e0205, kLo = 0x0025e20000057624;
  EXPECT_EQ(text80(kHi, kLo), "IMAD R5, R0, R5, c[0x0][-0x6878]");
  EXPECT_EQ(decode80(kHi, kLo).find(Role::kC)->value, 0x1a80 + 8 + 4 * 8000);
  // The same of LDC on sm_100, whose parameters begin at 0x380.
  constexpr u64 kLoadHi = 0x000e700000000800, kLoadLo = 0x00202200ff057b82;
  const Instruction load = Decoder(Family::kSm100).decode(kLoadLo, kLoadHi, 0);
  EXPECT_EQ(to_text(load, kLoadLo, kLoadHi), "LDC R5, c[0x0][-0x7f78]");
  EXPECT_EQ(load.find(Role::kA)->value, 0x380 + 8 + 4 * 8000);
}

TEST(SassDecoder, KnowsPairsOfSm120) {
  using enum RegisterFile;
  const Decoder decoder(Family::kSm120);
  const auto decode = [&](u64 hi, u64 lo) { return decoder.decode(lo, hi, 0); };
  const auto text = [&](u64 hi, u64 lo) { return to_text(decode(hi, lo), lo, hi); };
  EXPECT_EQ(text(0x000fde0000402000, 0x0000000000047402), "MOV.64 R4, 0x4020000000000000");
  EXPECT_EQ(decode(0x000fde0000402000, 0x0000000000047402).find(Role::kA)->value,
            0x4020000000000000);
  EXPECT_FALSE(decode80(0x000fde0000402000, 0x0000000000047402).known());
  // The 33rd bit of SEL.64's immediate is its sign.
  EXPECT_EQ(text(0x000fc80000000000, 0x0000000102027407), "SEL.64 R2, R2, 0x1, P0");
  EXPECT_EQ(text(0x000fc80000000001, 0x0000000102027407), "SEL.64 R2, R2, -0xffffffff, P0");
  const Instruction select = decode(0x000fc80000000001, 0x0000000102027407);
  EXPECT_EQ(select.find(Role::kB)->value, 1 - (i64{1} << 32));
  EXPECT_EQ(defs(select), (Registers{{kGeneral, 2}, {kGeneral, 3}}));
  EXPECT_NE(select.opcode, Opcode::kSEL);  // another meaning
  // ISETP.GE.S64.AND P?, PT, R10, UR6, PT reads two pairs; on sm_100 bit 80 means nothing.
  const Instruction compare = decode(0x004fdc000bf16270, 0x000000060a007c0c);
  EXPECT_TRUE(compare.has(Field::kType, Value::kS64));
  EXPECT_EQ(uses(compare),
            (Registers{{kGeneral, 10}, {kGeneral, 11}, {kUniform, 6}, {kUniform, 7}}));
  EXPECT_FALSE(Decoder(Family::kSm100).decode(0x000000060a007c0c, 0x004fdc000bf16270, 0).known());
}

TEST(SassDecoder, ShowsCarriesAlwaysFromSm100On) {
  constexpr u64 kHi = 0x000fe40007ffe0ff, kLo = 0x0000000102023810;
  EXPECT_EQ(to_text(Decoder(Family::kSm100).decode(kLo, kHi, 0), kLo, kHi),
            "@P3 IADD3 R2, PT, PT, R2, 0x1, RZ");
  EXPECT_EQ(text80(kHi, kLo), "@P3 IADD3 R2, R2, 0x1, RZ");
}

}  // namespace
}  // namespace picker::sass
