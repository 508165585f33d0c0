#include "semantics/understood.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace picker::semantics {
namespace {

using sass::Field;
using sass::Opcode;
using sass::Value;

struct Known {
  std::string_view mnemonics;  // separated by blanks
  std::string_view fields;     // "Field=Value,Value Field=Value"
};

constexpr std::string_view kAccess =
    "AddressExtended=E Evict=EF,EL,LU,EU,NA EvictL2=EFL2,ENL2,ELL2 "
    "Prefetch=LTC64B,LTC128B,LTC256B Size=U8,S8,U16,S16,32,64,128 "
    "Semantics=WEAK,CONSTANT,STRONG,MMIO Scope=CTA,SM,GPU,SYS "
    "WeakScope=CTA,SM,GPU,SYS";
constexpr std::string_view kAtomic =
    "AddressExtended=E Evict=EF,EL,LU,EU,NA AtomicOp=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,CAS,CAST "
    "Type=U32,S32,64,S64,F32.FTZ.RN,F16x2.RN,F64.RN Semantics=WEAK,CONSTANT,STRONG,MMIO "
    "Scope=CTA,SM,GPU,SYS WeakScope=CTA,SM,GPU,SYS";
constexpr std::string_view kCompares = "F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T";
constexpr std::string_view kHalves =
    "Ftz=FTZ,FMZ Saturate=SAT Relu=RELU Special=MMA SwizzleA=H1_H0,F32,H0_H0,H1_H1 "
    "SwizzleB=H1_H0,F32,H0_H0,H1_H1,H0_NH1 SwizzleC=H1_H0,F32,H0_H0,H1_H1";

constexpr Known kKnown[] = {
    {"IADD3 UIADD3 IADD IADD.64 UIADD3.64", "Carry=X"},
    {"VIADD", "Type=32,S32"},
    {"IMNMX UIMNMX VIMNMX VIMNMX3 VIADDMNMX UVIMNMX", "Type=U32,S32"},
    {"IMAD UIMAD", "Type=U32,S32 Carry=X MulMode=WIDE,HI"},
    {"LEA ULEA", "Carry=X High=HI SX32=SX32"},
    {"SHF USHF", "Direction=L,R Wrap=W Type=S64,U64,S32,U32 High=HI"},
    {"LOP3 ULOP3", "Lut=LUT Special=PAND"},
    {"PLOP3 UPLOP3", "Lut=LUT"},
    {"ISETP UISETP",
     "Compare=F,LT,EQ,LE,GT,NE,GE,T Type=U32,S32,U64,S64 Bool=AND,OR,XOR Extended=EX"},
    {"MOV UMOV", "Size=64"},
    {"PRMT UPRMT", "PermuteMode=F4E,B4E,RC8,ECL,ECR,RC16"},
    {"SGXT USGXT", "Wrap=W Type=U32,S32"},
    {"BMSK UBMSK", "Wrap=W"},
    {"FLO UFLO", "Type=U32,S32 Shift=SH"},
    {"IDP", "Special=2A,4A Special2=LO,HI SourceType=U16,S16,U8,S8 SourceTypeB=U8,S8"},
    {"VABSDIFF", "Type=U32,S32"},
    {"VABSDIFF4", "Type=U8,S8 Accumulate=ACC"},
    {"CS2R CS2UR", "Size=32,64"},
    {"R2UR", "Or=OR"},
    {"P2R R2P", "Byte=B1,B2,B3"},
    {"SHFL", "ShuffleMode=IDX,UP,DOWN,BFLY"},
    {"VOTE VOTEU", "VoteMode=ALL,ANY,EQ"},
    {"MATCH", "VoteMode=ANY,ALL Type=U64"},
    {"REDUX", "AtomicOp=AND,OR,XOR,SUM,MIN,MAX Type=S32"},
    {"CREDUX", "AtomicOp=MAX,MIN Type=S32"},
    {"LD LDG ST STG LDL STL", kAccess},
    {"LDS STS", "Size=U8,S8,U16,S16,32,64,128 Special=U"},
    {"LDGSTS",
     "AddressExtended=E Cache=BYPASS Evict=EF,EL,LU,EU,NA Prefetch=LTC64B,LTC128B,LTC256B "
     "Size=32,64,128 ZeroFill=ZFILL Semantics=WEAK,CONSTANT,MMIO Scope=CTA,GPU,SM"},
    {"ATOM ATOMG RED REDG", kAtomic},
    {"ATOMS",
     "AtomicOp=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,CAS,CAST,ARRIVE Type=U32,S32,64,32 "
     "AtomicMode=SPIN,POPC"},
    {"HGMMA",
     "Shape=64x8x16,64x16x16,64x24x16,64x32x16,64x40x16,64x48x16,64x56x16,64x64x16,64x72x16,"
     "64x80x16,64x88x16,64x96x16,64x104x16,64x112x16,64x120x16,64x128x16,64x136x16,64x144x16,"
     "64x152x16,64x160x16,64x168x16,64x176x16,64x184x16,64x192x16,64x200x16,64x208x16,64x216x16,"
     "64x224x16,64x232x16,64x240x16,64x248x16,64x256x16,64x8x8,64x16x8,64x24x8,64x32x8,64x40x8,"
     "64x48x8,64x56x8,64x64x8,64x72x8,64x80x8,64x88x8,64x96x8,64x104x8,64x112x8,64x120x8,"
     "64x128x8,64x136x8,64x144x8,64x152x8,64x160x8,64x168x8,64x176x8,64x184x8,64x192x8,64x200x8,"
     "64x208x8,64x216x8,64x224x8,64x232x8,64x240x8,64x248x8,64x256x8 "
     "AccType=F16,F32 SourceType=F16,BF16,TF32 Scoreboard=gsb0 "
     "Descriptor=negA,negB,negA.negB,tnspA,negA.tnspA,negB.tnspA,negA.negB.tnspA,tnspB,"
     "negA.tnspB,negB.tnspB,negA.negB.tnspB,tnspA.tnspB,negA.tnspA.tnspB,negB.tnspA.tnspB,"
     "negA.negB.tnspA.tnspB "},
    {"IGMMA",
     "Shape=64x8x32,64x16x32,64x24x32,64x32x32,64x48x32,64x64x32,64x80x32,64x96x32,64x112x32,"
     "64x128x32,64x144x32,64x160x32,64x176x32,64x192x32,64x208x32,64x224x32,64x240x32,64x256x32 "
     "SourceType=U8,S8 SourceTypeB=U8,S8 Saturate=SAT Scoreboard=gsb0"},
    {"WARPGROUP", "Special=ARRIVE,DEPBAR Special2=LE Scoreboard=gsb0"},
    {"TEX",
     "Dimension=1D,2D,3D Scalar=SCR Lod=LZ,LL Evict=EF,EL,LU,EU,NA NonDivergent=NDV "
     "NoDependence=NODEP"},
    {"TLD", "Dimension=1D,2D,3D Scalar=SCR Lod=LZ Evict=EF,EL,LU,EU,NA NoDependence=NODEP"},
    {"SULD SUST",
     "SurfaceMode=D ByteAddress=BA Dimension=1D,2D,3D Evict=EF,EL,LU,EU,NA "
     "Size=U8,S8,U16,S16,32,64,128 Semantics=WEAK,CONSTANT,STRONG Scope=CTA,SM,GPU "
     "Clamp=IGN,TRAP"},
    {"SYNCS",
     "SyncOp=PHASECHK,EXCH,ARRIVE,CCTL Special=TRANS64 Special2=TRYWAIT Size=64 ArriveMode=RED "
     "OptOut=OPTOUT Arrivals=A1T0,A0T1,A0TR,A0TX,ART0 CacheOp=IV,WB,IVALL"},
    {"ARRIVES", "Special=LDGSTSBAR Size=64 Special2=ARVCNT,TRANSCNT"},
    {"UBLKCP", "BulkTarget=G,S BulkSource=G,S Special=MULTICAST"},
    {"UBLKRED",
     "BulkTarget=G,S BulkSource=S AtomicOp=ADD,MIN,MAX,INC,DEC,AND,OR,XOR "
     "Type=U32,S32,U64,S64,F16.RN,F32.RN,F32.FTZ.RN,F64.RN"},
    {"STAS", "Size=32,64,128"},
    {"REDAS", "AtomicOp=ADD,MIN,MAX,INC,DEC,AND,OR,XOR Type=U32,S32,64"},
    {"FENCE", "Special=VIEW Special2=ASYNC Space=S,G"},
    {"LDSM", "Size=16 Transpose=M88,MT88,M816,M832 Count=1,2,4"},
    {"LDC ULDC LDCU", "Size=U8,S8,U16,S16,32,64,128 IndexMode=IL,IS,ISL"},
    {"FSEL UFSEL", "Ftz=FTZ"},
    {"FADD UFADD", "Ftz=FTZ Round=RN,RM,RP,RZ Saturate=SAT"},
    {"FMUL UFMUL", "Ftz=FTZ,FMZ Scale=D8,D4,D2,M2,M4,M8 Round=RN,RM,RP,RZ Saturate=SAT"},
    {"FFMA UFFMA", "Ftz=FTZ,FMZ Round=RN,RM,RP,RZ Saturate=SAT"},
    {"DADD DMUL DFMA", "Round=RN,RM,RP,RZ"},
    {"FMNMX FMNMX3", "Ftz=FTZ Nan=NAN"},
    {"MUFU", "Function=COS,SIN,EX2,LG2,RCP,RSQ,SQRT,TANH,RCP64H,RSQ64H Type=F16,F32 Byte=H1"},
    {"F2F", "Ftz=FTZ Type=F32,F16,BF16,F64 SourceType=F16,F32,F64,BF16 Round=RN,RM,RP,RZ Byte=H1"},
    {"FRND", "Ftz=FTZ Type=F16,F32,F64 SourceType=F16,F32,F64 Round=RN,FLOOR,CEIL,TRUNC"},
    {"F2I UF2I",
     "Ftz=FTZ Type=U8,S8,U16,S16,U32,S32,U64,S64 SourceType=F16,F32,F64 "
     "Round=RN,FLOOR,CEIL,TRUNC Narrow=NTZ"},
    {"I2F UI2F",
     "Type=F16,F32,F64 SourceType=U8,S8,U16,S16,U32,S32,U64,S64 Round=RN,RM,RP,RZ "
     "Byte=B1,B2,B3,H1"},
    {"I2FP UI2FP", "Type=F32 SourceType=U32,S32 Round=RN,RZ"},
    {"F2FP",
     "Saturate=SATFINITE Relu=RELU Type=F16,BF16 SourceType=F32 Pack=PACK_AB,MERGE_C Round=RN,RZ"},
    {"MOVM", "Size=16 Transpose=MT88"},
    {"IMMA",
     "Shape=16832,16864,168128,8816,8832,16816 SourceType=U8,S8,U4,S4 SourceTypeB=U8,S8,U4,S4 "
     "Saturate=SAT Layout=ROW LayoutB=COL"},
    {"DMMA", "Shape=884,8x8x4 Round=RN,RM,RP,RZ"},
    {"HMMA",
     "Shape=884,1688,16816 AccType=F16,F32 SourceType=F16,BF16,TF32 Type=F16,F32 "
     "Step=STEP0,STEP1,STEP2,STEP3 Layout=ROW,COL LayoutB=ROW,COL"},
};

// Compares and half arithmetic share long lists.
struct Shared {
  std::string_view mnemonics;
  std::string_view field;
  std::string_view values;
  std::string_view fields;
};
constexpr Shared kShared[] = {
    {"FSETP UFSETP", "Compare", kCompares, "Ftz=FTZ Bool=AND,OR,XOR"},
    {"FSET", "Compare", kCompares, "BoolFloat=BF Ftz=FTZ Bool=AND,OR,XOR"},
    {"DSETP", "Compare", "MIN,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,MAX",
     "Bool=AND,OR,XOR"},
    {"HADD2 HMUL2 HFMA2", "AccType", "F32,BF16_V2", kHalves},
    {"HMNMX2", "AccType", "F32,BF16_V2",
     "Ftz=FTZ Nan=NAN SwizzleA=H1_H0,F32,H0_H0,H1_H1 SwizzleB=H1_H0,F32,H0_H0,H1_H1"},
    {"HSETP2", "Compare", kCompares,
     "AccType=F32,BF16_V2 HalfAnd=H_AND Ftz=FTZ Bool=AND,OR,XOR "
     "SwizzleA=H1_H0,F32,H0_H0,H1_H1 SwizzleB=H1_H0,F32,H0_H0,H1_H1"},
    {"HSET2", "Compare", kCompares,
     "AccType=F32,BF16_V2 BoolFloat=BF Ftz=FTZ Bool=AND,OR,XOR "
     "SwizzleA=H1_H0,F32,H0_H0,H1_H1 SwizzleB=H1_H0,F32,H0_H0,H1_H1"},
};

// Calls visit(part) for each part of `text` between separators.
template <class Visit>
void split(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end != 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <class Enum>
std::vector<Enum> named(std::string_view name, u32 count) {
  std::vector<Enum> out;
  for (u32 i = 0; i < count; ++i)
    if (sass::to_string(static_cast<Enum>(i)) == name) out.push_back(static_cast<Enum>(i));
  return out;
}

class Table {
 public:
  Table() : known_(size_t{sass::kOpcodeCount} * sass::kFieldCount) {
    for (const Known& row : kKnown) add(row.mnemonics, row.fields);
    for (const Shared& row : kShared) {
      add(row.mnemonics, row.fields);
      split(row.mnemonics, ' ', [&](std::string_view name) {
        for (const Opcode opcode : named<Opcode>(name, sass::kOpcodeCount))
          add_values(opcode, row.field, row.values);
      });
    }
  }

  [[nodiscard]] bool allows(const sass::Instruction& in) const {
    for (u32 i = 0; i < in.modifier_count; ++i) {
      const sass::Modifier& modifier = in.modifiers[i];
      if (modifier.value == Value::kNone) continue;
      const std::vector<bool>& values = known_[place(in.opcode, modifier.field)];
      const size_t value = static_cast<size_t>(modifier.value);
      if (value >= values.size() || !values[value]) return false;
    }
    return true;
  }

 private:
  static size_t place(Opcode opcode, Field field) {
    return static_cast<size_t>(opcode) * sass::kFieldCount + static_cast<size_t>(field);
  }
  void add(std::string_view mnemonics, std::string_view fields) {
    split(mnemonics, ' ', [&](std::string_view name) {
      for (const Opcode opcode : named<Opcode>(name, sass::kOpcodeCount)) {
        split(fields, ' ', [&](std::string_view entry) {
          const size_t equals = entry.find('=');
          add_values(opcode, entry.substr(0, equals), entry.substr(equals + 1));
        });
      }
    });
  }
  void add_values(Opcode opcode, std::string_view field, std::string_view values) {
    for (const Field f : named<Field>(field, sass::kFieldCount))
      split(values, ',', [&](std::string_view name) {
        for (const Value v : named<Value>(name, sass::kValueCount)) {
          std::vector<bool>& known = known_[place(opcode, f)];
          known.resize(sass::kValueCount);
          known[static_cast<size_t>(v)] = true;
        }
      });
  }

  std::vector<std::vector<bool>> known_;  // by opcode and field: by value
};

// Matrix products on families that can leave out the addend by a predicate.
bool has_unknown_operand(const sass::Instruction& in) {
  if (in.opcode != Opcode::kHMMA && in.opcode != Opcode::kIMMA && in.opcode != Opcode::kDMMA)
    return false;
  const sass::Operand* p = in.find(sass::Role::kPSrc);
  return p != nullptr && (p->reg != sass::kPT || p->invert);
}

}  // namespace

bool is_understood(const sass::Instruction& in) {
  static const Table table;
  return table.allows(in) && !has_unknown_operand(in);
}

}  // namespace picker::semantics
