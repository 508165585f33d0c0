// The gate in front of the meanings: modifiers that a meaning does not take into account must close
// it. The words and texts are nvdisasm's (tests/data/sass); what the modifiers do is the PTX
// manual's.
#include "semantics/understood.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "sass/decoder.hpp"
#include "semantics/classes.hpp"
#include "semantics/control.hpp"

namespace picker::semantics {
namespace {

struct Counts {
  u32 open = 0, shut = 0;
};

// Calls visit(text, instruction) for each recorded word of every architecture.
template <class Visit>
void for_each_word(Visit visit) {
  for (const u32 sm : {70u, 75u, 80u, 86u, 89u, 90u, 100u, 103u, 110u, 120u, 121u}) {
    const sass::Decoder decoder(*sass::family_of(sm));
    std::ifstream file(std::string(PICKER_SOURCE_DIR) + "/tests/data/sass/sm_" +
                       std::to_string(sm) + ".words.txt");
    for (std::string line; std::getline(file, line);) {
      const u64 hi = std::strtoull(line.substr(0, 16).c_str(), nullptr, 16);
      const u64 lo = std::strtoull(line.substr(16, 16).c_str(), nullptr, 16);
      std::string text = line.substr(33);
      if (text.starts_with("@")) text = text.substr(text.find(' ') + 1);
      visit(text, decoder.decode(lo, hi, 0));
    }
  }
}

std::string mnemonic_of(const std::string& text) {
  return text.substr(0, text.find_first_of(" ."));
}

// An opcode that has a row and no class is an effect, which makes a launch that reaches it unknown.
TEST(Understood, OpcodesWithoutClassAreEffects) {
  std::map<std::string, u32> seen = {{"TMML", 0},        {"FOOTPRINT", 0}, {"CCTLT", 0},
                                     {"CSMTEST", 0},     {"PIXLD", 0},     {"GETLMEMBASE", 0},
                                     {"SETLMEMBASE", 0}, {"SETCTAID", 0},  {"SUATOM", 0}};
  u32 data = 0;
  for_each_word([&](const std::string& text, const sass::Instruction& in) {
    const std::string mnemonic = mnemonic_of(text);
    if (mnemonic == "IADD3") data += class_of(in) == Class::kData ? 1 : 0;
    const auto it = seen.find(mnemonic);
    if (it == seen.end()) return;
    ++it->second;
    EXPECT_TRUE(in.known()) << text;
    EXPECT_EQ(class_of(in), Class::kEffect) << text;
  });
  for (const auto& [mnemonic, count] : seen) EXPECT_GT(count, 0u) << mnemonic;
  EXPECT_GT(data, 0u);  // the same question has another answer for arithmetic
}

TEST(Understood, ShutsOutModifiersWithoutMeaning) {
  struct Case {
    const char* mnemonic;
    const char* modifier;
  };
  constexpr Case kCases[] = {
      {"VIADD", ".16x2"},     {"VIMNMX", ".RELU"},   {"VIMNMX", ".U16x2"},  {"VIMNMX3", ".S16x2"},
      {"VIADDMNMX", ".RELU"}, {"FMNMX", ".XORSIGN"}, {"LDG", ".256"},       {"STG", ".256"},
      {"HMMA", ".SP"},        {"IMMA", ".SP"},       {"F2FP", ".UNPACK_B"}, {"MUFU", ".BF16"},
  };
  std::map<std::string, u32> seen;
  for_each_word([&](const std::string& text, const sass::Instruction& in) {
    ASSERT_TRUE(in.known()) << text;
    for (const Case& c : kCases) {
      const std::string first = text.substr(0, text.find(' '));
      if (mnemonic_of(text) != c.mnemonic || first.find(c.modifier) == std::string::npos) continue;
      ++seen[std::string(c.mnemonic) + c.modifier];
      EXPECT_FALSE(is_understood(in)) << text;
    }
  });
  for (const Case& c : kCases)
    EXPECT_GT(seen[std::string(c.mnemonic) + c.modifier], 0u) << c.mnemonic << c.modifier;
}

TEST(Understood, LetsPlainFormsPass) {
  std::map<std::string, Counts> counts;
  for_each_word([&](const std::string& text, const sass::Instruction& in) {
    Counts& c = counts[mnemonic_of(text)];
    ++(is_understood(in) ? c.open : c.shut);
  });
  for (const char* mnemonic : {"IADD3", "IMAD", "LEA", "SHF", "LOP3", "ISETP", "SEL", "MOV", "PRMT",
                               "FADD", "FFMA", "FSETP", "LDC", "LDS", "STS", "S2R", "UIADD3"})
    EXPECT_EQ(counts[mnemonic].shut, 0u) << mnemonic;
  for (const char* mnemonic : {"LDG", "STG", "VIMNMX", "VIADD", "HMMA", "REDG", "ATOMG", "RED"})
    EXPECT_GT(counts[mnemonic].open, 0u) << mnemonic;
}

TEST(Understood, ShutsOutModifiersOfOpcodesThatNobodyListed) {
  sass::Instruction in;
  in.opcode = sass::Opcode::kQADD4;  // opaque: it has no meaning
  EXPECT_TRUE(is_understood(in));
  in.modifier_count = 1;
  in.modifiers[0] = {sass::Field::kType, sass::Value::kNone};
  EXPECT_TRUE(is_understood(in));
  in.modifiers[0].value = sass::Value::kU32;
  EXPECT_FALSE(is_understood(in));
  in.opcode = sass::Opcode::kIMAD;
  EXPECT_TRUE(is_understood(in));
}

// An indirect branch with a predicate of its own falls through where that is false.
TEST(Control, IndirectBranchesHaveAConditionOfTheirOwn) {
  u32 seen = 0;
  for_each_word([&](const std::string& text, const sass::Instruction& in) {
    const std::string mnemonic = mnemonic_of(text);
    if (mnemonic != "BRX" && mnemonic != "BRXU") return;
    const Control control = control_of(in);
    if (control.kind != ControlKind::kIndirectBranch) return;
    ++seen;
    ASSERT_NE(control.condition, nullptr) << text;
    EXPECT_EQ(control.condition, in.find(sass::Role::kPSrc)) << text;
  });
  EXPECT_GT(seen, 8u);
}

// What a word does to control, read off nvdisasm's text of it.
TEST(Control, IsWhatTheTextSays) {
  const std::map<std::string, ControlKind> kinds = {
      {"BRA", ControlKind::kBranch},        {"RET", ControlKind::kReturn},
      {"EXIT", ControlKind::kExit},         {"BSSY", ControlKind::kBarrierSet},
      {"BSYNC", ControlKind::kBarrierSync}, {"BREAK", ControlKind::kBarrierBreak},
      {"CALL", ControlKind::kCall},         {"BPT", ControlKind::kUnmodelled},
  };
  std::map<std::string, u32> seen;
  for_each_word([&](const std::string& text, const sass::Instruction& in) {
    const std::string mnemonic = mnemonic_of(text);
    if (!kinds.contains(mnemonic)) return;
    ++seen[mnemonic];
    const Control control = control_of(in);
    const std::string first = text.substr(0, text.find(' '));
    if (mnemonic == "BPT") {
      // Only the trap ends the launch; a breakpoint or interrupt may return.
      const bool trap = first.find(".TRAP") != std::string::npos;
      EXPECT_EQ(control.kind, trap ? ControlKind::kTrap : ControlKind::kUnmodelled) << text;
      return;
    }
    if (mnemonic == "CALL") {
      EXPECT_TRUE(control.kind == ControlKind::kCall || control.kind == ControlKind::kIndirectCall)
          << text;
    } else if (mnemonic != "BRA") {
      const bool plain_exit = mnemonic != "EXIT" || first == "EXIT";
      EXPECT_EQ(control.kind, plain_exit ? kinds.at(mnemonic) : ControlKind::kUnmodelled) << text;
    }
    // Of its operands only the second predicate says whether the jump is taken.
    EXPECT_EQ(control.condition, in.find(sass::Role::kPSrc)) << text;
  });
  for (const auto& [mnemonic, kind] : kinds) EXPECT_GT(seen[mnemonic], 0u) << mnemonic;
}

}  // namespace
}  // namespace picker::semantics
