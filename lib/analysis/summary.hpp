// What the analyzer knows about one kernel, in the form the validator evaluates per launch.
//
// A summary lists every instruction that may touch global memory as an *access site*: its address
// as an expression, the bytes it covers, and conditions that hold whenever it executes. Conditions
// are necessary, never sufficient: leaving one out makes the footprint larger, not wrong. What the
// analyzer could not follow is a *finding*: a named reason with the conditions under which it
// matters; a launch whose arguments rule the conditions out is not harmed by it.
#pragma once

#include <string>
#include <vector>

#include "analysis/expression.hpp"
#include "analysis/reasons.hpp"
#include "support/types.hpp"

namespace picker::analysis {

enum class AccessKind : u8 { kRead, kWrite, kReadWrite };

struct AccessSite {
  u32 code_offset = 0;  // bytes from the start of the kernel's code
  AccessKind kind = AccessKind::kRead;
  ExprId address = kNoExpr;        // 64-bit address of the first byte
  u32 size = 0;                    // bytes, more than 0
  std::vector<ExprId> conditions;  // 1-bit expressions that are all true when it executes
  std::vector<LoopId> loops;       // enclosing loops, outermost first
  bool bounded = true;             // false: the address hangs on values the analysis lost
  bool generic = false;            // LD/ST/ATOM: might be shared or local memory instead
  // An earlier store of the same thread writes all these bytes first ; the read is
  // not part of R.
  bool shielded = false;
};

// A loop of the control-flow graph. Iteration numbers count from 0; iteration k+1 begins only if
// every condition in `continues`, with the loop's kIteration standing for k, held.
struct Loop {
  LoopId parent = std::numeric_limits<u32>::max();  // max: outermost
  u32 header_offset = 0;
  std::vector<ExprId> continues;
};

struct Finding {
  Reason reason{};
  u32 code_offset = 0;
  std::vector<ExprId> conditions;
  std::vector<LoopId> loops;
  // Another finding or site must be live for this one to matter: index into sites, or none.
  std::string detail;  // a short phrase: the mnemonic, the symbol, the operand
};

// A module-level object whose address the host knows.
struct ModuleSymbol {
  std::string name;
  bool constant_bank = false;  // payload lives in c[3]: `name` is the section, address its start
};

// A uniform register or predicate that, from the instruction at `code_offset` on, need not hold
// what one thread's own path says: another part of its warp may have written it.
struct UncertainUniform {
  u32 code_offset = 0;
  u8 number = 0;
  bool predicate = false;
  auto operator<=>(const UncertainUniform&) const = default;
};

struct Summary {
  std::string kernel;
  u32 sm = 0;
  Expressions expressions;
  std::vector<AccessSite> sites;
  std::vector<Loop> loops;
  std::vector<Finding> findings;
  std::vector<ModuleSymbol> symbols;
  std::vector<UncertainUniform> uncertain_uniforms;  // sorted; for those who follow one thread
};

}  // namespace picker::analysis
