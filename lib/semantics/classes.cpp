#include "semantics/classes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace picker::semantics {
namespace {

using sass::Field;
using sass::Opcode;
using sass::Value;

struct Row {
  std::string_view mnemonics;  // separated by blanks
  Class what;
};

constexpr Row kRows[] = {
    {"FADD FADD2 FHADD FFMA FFMA2 FHFMA FMUL FMUL2 FMNMX FMNMX3 FSEL FSET FSETP FCHK FSWZADD MUFU "
     "DADD DMUL DFMA DSETP HADD2 HFMA2 HMUL2 HMNMX2 HSET2 HSETP2 VHMNMX QADD4 QFMA4 QMUL4",
     Class::kData},
    {"IADD IADD.64 IADD3 IABS IDP IMAD IMUL IMNMX ISETP LEA LOP3 PLOP3 POPC FLO BREV BMSK SGXT SHF "
     "PRMT SEL SEL.64 MOV MOV64IUR P2R R2P CLMAD VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 "
     "I2I I2IP I2F I2FP F2F F2FP F2I F2IP FRND LEPC PSETP CS2R S2R",
     Class::kData},
    {"UBMSK UBREV UCLEA UFLO UIADD3 UIADD3.64 UIMAD UISETP ULEA ULEPC ULOP3 UMOV UP2UR UPLOP3 "
     "UPOPC "
     "UPRMT UR2UP USEL USEL.64 USGXT USHF UF2FP UF2I UF2IP UFADD UFFMA UFHADD UFHFMA UFMNMX UFMUL "
     "UFSEL UFSET UFSETP UI2F UI2FP UI2I UI2IP UIABS UIMNMX UVIADD UVIMNMX UPSETP S2UR CS2UR R2UR",
     Class::kData},
    {"SHFL VOTE VOTEU MATCH REDUX CREDUX ELECT MOVM HMMA IMMA BMMA DMMA QMMA OMMA", Class::kData},
    {"LDC ULDC LDCU", Class::kData},  // constant banks: the domain records reads of user constants
    {"LD LDG LDS LDL ST STG STS STL ATOM ATOMG ATOMS RED REDG LDGSTS LDSM STSM", Class::kMemory},
    {"BRA BRX BRXU JMP JMX JMXU CALL RET EXIT BPT BSSY BSYNC BREAK", Class::kControl},
    {"NOP YIELD WARPSYNC NANOSLEEP DEPBAR LDGDEPBAR MEMBAR ERRBAR CGAERRBAR PMTRIG",
     Class::kNothing},
    {"BAR B2R", Class::kBlockBarrier},
};

const std::vector<Class>& table() {
  static const std::vector<Class> classes = [] {
    std::vector<Class> out;
    for (u32 i = 0; i < sass::kOpcodeCount; ++i) {
      const std::string_view name = sass::to_string(static_cast<Opcode>(i));
      Class what = Class::kEffect;
      for (const Row& row : kRows) {
        const std::string_view all = row.mnemonics;
        for (size_t at = all.find(name); at != std::string_view::npos;
             at = all.find(name, at + 1)) {
          const size_t end = at + name.size();
          if ((at == 0 || all[at - 1] == ' ') && (end == all.size() || all[end] == ' '))
            what = row.what;
        }
      }
      out.push_back(what);
    }
    return out;
  }();
  return classes;
}

bool is_named(Opcode opcode, std::string_view list) {
  const std::string_view name = sass::to_string(opcode);
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

Class class_of(const sass::Instruction& in) {
  const std::vector<Class>& classes = table();
  const size_t index = static_cast<size_t>(in.opcode);
  if (in.opcode == Opcode::kUnknown || index >= classes.size()) return Class::kEffect;
  // Cache control that only prefetches or invalidates a cache has no effect on data; discarding
  // does.
  if (in.opcode == Opcode::kCCTL)
    for (const Value harmless : {Value::kPF1, Value::kPF2, Value::kDML2, Value::kIVALL, Value::kIV})
      if (in.has(Field::kCacheOp, harmless)) return Class::kNothing;
  if (in.opcode == Opcode::kCCTL) return Class::kEffect;
  // Forgetting who takes part in a barrier, as compilers do before they arm it (sm_70, sm_75). With
  // a register to keep it in it is data that depends on the schedule.
  if (in.opcode == Opcode::kBMOV && in.has(Field::kClear, Value::kCLEAR)) {
    const sass::Operand* dst = in.find(sass::Role::kDst);
    const sass::Operand* barrier = in.find(sass::Role::kBarrier);
    if (dst != nullptr && dst->is_zero_register() && barrier != nullptr) return Class::kNothing;
  }
  // A WARPSYNC with a target transfers control.
  if (in.opcode == Opcode::kWARPSYNC && in.find(sass::Role::kTarget) != nullptr)
    return Class::kEffect;
  return classes[index];
}

bool is_texture_or_surface(Opcode opcode) {
  return is_named(opcode, "TEX TLD TLD4 TXD TMML TXQ SUQUERY FOOTPRINT SULD SUST SURED SUATOM");
}

bool is_cluster_barrier(Opcode opcode) {
  return opcode == Opcode::kUCGABAR_ARV || opcode == Opcode::kUCGABAR_WAIT;
}

bool is_programmatic(Opcode opcode) { return is_named(opcode, "PREEXIT ACQBULK"); }

}  // namespace picker::semantics
