// Random straight-line code, run twice: symbolically and on plain numbers.
//
// Words are made from the table rows of integer, predicate and move instructions by filling all
// operand and modifier bits at random; what decodes is code, whether or not a compiler would write
// it. Every register that the symbolic thread does not call unknown must, evaluated at the leaves'
// values, be what the plain thread computed.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "analysis/symbolic_thread.hpp"
#include "container/cubin.hpp"
#include "sass/decoder.hpp"
#include "sass/printer.hpp"
#include "tests/semantics/plain_thread.hpp"
#include "validate/concrete.hpp"

namespace picker::analysis {
namespace {

using sass::Instruction;
using tests::PlainThread;

constexpr u32 kRegisters = 8;  // R0..R7, UR0..UR7 take part

struct Word {
  u64 lo = 0, hi = 0;
};

class Generator {
 public:
  explicit Generator(u64 seed) : random_(seed), decoder_(*sass::family_of(80)) {}

  u64 below(u64 n) { return random_() % n; }
  u32 number() {
    switch (below(6)) {
      case 0:
        return static_cast<u32>(below(4));
      case 1:
        return 0u - static_cast<u32>(below(4));
      case 2:
        return u32{1} << below(32);
      case 3:
        return (u32{1} << below(32)) - 1;
      default:
        return static_cast<u32>(random_());
    }
  }

  struct Decoded {
    Instruction in;
    std::string text;
  };
  // A random instruction of the wanted kinds.
  Decoded make() {
    // Opcodes without their form bits 9 to 11 (lib/sass/tables).
    static constexpr u64 kOpcodes[] = {0x010, 0x017, 0x013, 0x024, 0x025, 0x027, 0x011, 0x012,
                                       0x00c, 0x007, 0x002, 0x019, 0x01a, 0x016, 0x109, 0x101,
                                       0x003, 0x004, 0x00b, 0x01c, 0x090, 0x0a4, 0x091, 0x092,
                                       0x08c, 0x099, 0x087, 0x082, 0x00a, 0x01b};
    // Bits that an instruction does not use must be what they must be, which is mostly zero: each
    // group is filled or left.
    for (u64 tries = 0, opcode = 0;; ++tries) {
      if (tries % 5000 == 0) opcode = kOpcodes[below(std::size(kOpcodes))];
      const auto coin = [this] { return below(2) == 0; };
      const u64 form = 1 + below(7);
      Word w;
      w.lo = opcode | (form << 9);
      set(w, 12, 4, below(4) == 0 ? below(16) : 7);  // guard
      if (below(4) != 0) set(w, 16, 8, reg());
      if (coin()) set(w, 24, 8, reg());
      if (form == 1 || form == 6 || form == 7) {
        set(w, 32, 8, reg());
        if (below(4) == 0) set(w, 62, 2, random_());
      } else if (form == 3 || form == 5) {  // c[0x0][0x160 .. 0x17c]
        set(w, 40, 14, (0x160 >> 2) + below(8));
        if (below(4) == 0) set(w, 62, 2, random_());
      } else {
        set(w, 32, 32, number());
      }
      if (coin()) set(w, 64, 8, coin() ? reg() : random_());
      if (coin()) set(w, 72, 8, coin() ? 0xf : random_());
      if (coin()) set(w, 80, 1, 1);
      if (coin()) set(w, 81, 3, coin() ? 7 : random_());
      if (coin()) set(w, 84, 3, coin() ? 7 : random_());
      if (coin()) set(w, 87, 4, coin() ? 15 : random_());
      if (coin()) set(w, 77, 4, coin() ? 15 : random_());
      if (coin()) set(w, 68, 4, coin() ? 15 : random_());
      set(w, 91, 1, below(2));
      set(w, 105, 17, 0x7e0);
      const Instruction in = decoder_.decode(w.lo, w.hi, 0);
      if (!in.known()) continue;
      if (semantics::class_of(in) != semantics::Class::kData) continue;
      if (!small(in)) continue;
      return {in, sass::to_text(in, w.lo, w.hi)};
    }
  }

 private:
  static void set(Word& w, u32 at, u32 bits, u64 value) {
    const u64 mask = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
    u64& half = at < 64 ? w.lo : w.hi;
    half = (half & ~(mask << (at % 64))) | ((value & mask) << (at % 64));
  }
  u64 reg() { return below(6) == 0 ? 255 : below(kRegisters); }
  // Only the registers and constants that both sides know.
  static bool small(const Instruction& in) {
    bool good = true;
    const auto look = [&](sass::RegisterFile file, u8 n) {
      if (file == sass::RegisterFile::kGeneral || file == sass::RegisterFile::kUniform)
        good &= n <= kRegisters;  // pairs may end one further
    };
    sass::for_each_use(in, look);
    sass::for_each_def(in, look);
    for (u32 i = 0; i < in.operand_count; ++i) {
      const sass::Operand& operand = in.operands[i];
      if (operand.kind == sass::OperandKind::kConstant)
        good &= operand.bank == 0 && operand.value >= 0x160 && operand.value <= 0x178 &&
                operand.value % 4 == 0;
      good &= operand.kind != sass::OperandKind::kBindlessConstant;
    }
    return good;
  }

  std::mt19937_64 random_;
  sass::Decoder decoder_;
};

class RandomCode : public testing::Test {
 protected:
  // Any sm_80 kernel with at least 0x1c bytes of parameters: vadd.
  void SetUp() override {
    std::ifstream stream(PICKER_SOURCE_DIR "/samples/cubins/vadd.sm_80.cubin", std::ios::binary);
    std::stringstream all;
    all << stream.rdbuf();
    const std::string bytes = all.str();
    image_.assign(bytes.begin(), bytes.end());
    auto cubin = container::Cubin::parse(Slice(image_), "vadd");
    ASSERT_TRUE(cubin.has_value());
    cubin_ = std::make_unique<container::Cubin>(std::move(*cubin));
  }
  std::vector<u8> image_;
  std::unique_ptr<container::Cubin> cubin_;
};

TEST_F(RandomCode, IsWhatTheExpressionsSay) {
  const container::Kernel& kernel = cubin_->kernels().front();
  constexpr u64 kSeed = 80;
  constexpr u32 kSequences = 700, kLength = 19;
  u64 compared = 0, unknown = 0;
  std::map<std::string, u32> modelled;  // mnemonics that gave a known result
  for (u64 round = 0; round < kSequences; ++round) {
    Generator generator(kSeed + round);
    Summary summary;
    Facts facts;
    facts.control.assign(1, false);
    SymbolicThread symbolic(*cubin_, kernel, summary, facts);
    PlainThread plain;
    plain.junk.seed(static_cast<u32>(round));
    validate::Launch launch;
    validate::Moment moment;
    Expressions& e = summary.expressions;
    for (u32 axis = 0; axis < 3; ++axis) {
      moment.thread[axis] = plain.thread[axis] = static_cast<u32>(generator.below(1024));
      moment.block[axis] = plain.block[axis] = static_cast<u32>(generator.below(65536));
    }
    for (u32 offset = 0x160; offset < 0x17c; offset += 4) {
      plain.bank0[offset] = generator.number();
      launch.constant_bank.set_value(offset, plain.bank0[offset], 4);
    }
    // Registers start as thread and block indices, parameters and constants.
    for (u32 i = 0; i <= kRegisters; ++i) {
      for (const bool uniform : {false, true}) {
        ExprId start = kNoExpr;
        u32 value = 0;
        const u64 kind = generator.below(4);
        if (kind == 0 && !uniform) {
          start = e.thread_index(i % 3);
          value = plain.thread[i % 3];
        } else if (kind == 1) {
          start = e.block_index(i % 3);
          value = plain.block[i % 3];
        } else if (kind == 2) {
          value = generator.number();
          start = e.constant(32, value);
        } else {
          const u32 offset = 0x160 + 4 * (i % 7);
          start = e.launch_constant(32, offset);
          value = plain.bank0[offset];
        }
        symbolic.state.slots[uniform ? kUniformBase + i : i] = start;
        (uniform ? plain.uregs : plain.regs)[i] = value;
      }
    }
    for (u32 i = 0; i < 7; ++i) {
      for (const bool uniform : {false, true}) {
        const u32 slot = (uniform ? kUniformPredicateBase : kPredicateBase) + i;
        const u32 bound = generator.number();
        symbolic.state.slots[slot] = e.less_unsigned(
            uniform ? e.block_index(0) : e.thread_index(i % 3), e.constant(32, bound));
        (uniform ? plain.upreds : plain.preds)[i] =
            (uniform ? plain.block[0] : plain.thread[i % 3]) < bound;
      }
    }
    std::string listing;
    for (u32 step = 0; step < kLength; ++step) {
      const Generator::Decoded next = generator.make();
      const Instruction& in = next.in;
      listing += "\n  " + next.text;
      plain.run(in);
      symbolic.current = &in;
      symbolic.code_offset = step * 16;
      symbolic.guard = in.guard_uniform ? symbolic.upred(in.guard) : symbolic.pred(in.guard);
      if (in.guard_negated) symbolic.guard = e.bit_not(symbolic.guard);
      if (!e.is_false(symbolic.guard)) semantics::execute(symbolic, in);
      if (step % 5 != 3) continue;
      validate::ConcreteEvaluator evaluator(e);
      evaluator.set(launch, moment);
      const auto check = [&](u32 slot, u64 expected, u8 width, const char* name, u32 n) {
        const ExprId id = symbolic.read_slot(slot, width);
        ASSERT_EQ(e.width(id), width);
        const std::optional<u64> value = evaluator.value(id);
        if (!value) {
          ++unknown;
          return;
        }
        ++compared;
        ASSERT_EQ(*value, expected)
            << name << n << " = " << e.to_string(id) << " after, seed " << kSeed + round << listing;
      };
      for (u32 i = 0; i <= kRegisters; ++i) {
        ASSERT_NO_FATAL_FAILURE(check(i, plain.regs[i], 32, "R", i));
        ASSERT_NO_FATAL_FAILURE(check(kUniformBase + i, plain.uregs[i], 32, "UR", i));
      }
      for (u32 i = 0; i < 7; ++i) {
        ASSERT_NO_FATAL_FAILURE(check(kPredicateBase + i, plain.preds[i] ? 1 : 0, 1, "P", i));
        ASSERT_NO_FATAL_FAILURE(
            check(kUniformPredicateBase + i, plain.upreds[i] ? 1 : 0, 1, "UP", i));
      }
      if (const sass::Operand* dst = in.find(sass::Role::kDst);
          dst != nullptr && !dst->is_zero_register()) {
        const bool uniform = dst->kind == sass::OperandKind::kUniformRegister;
        if (evaluator.value(symbolic.state.slots[(uniform ? kUniformBase : 0u) + dst->reg]))
          ++modelled[std::string(sass::to_string(in.opcode))];
      }
    }
  }
  // The test must not pass because everything is unknown.
  EXPECT_GT(compared, 2 * unknown);
  for (const char* mnemonic : {"IADD3", "IMAD", "LEA", "LOP3", "SHF", "SEL", "MOV", "PRMT", "IMNMX",
                               "IABS", "UIADD3", "ULOP3", "P2R"})
    EXPECT_GE(modelled[mnemonic], 5u) << mnemonic;
}

}  // namespace
}  // namespace picker::analysis
