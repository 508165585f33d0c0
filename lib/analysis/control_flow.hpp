// The control-flow graph of a kernel, with calls analysed in place.
//
// Code is decoded as it is reached from the entry, so data and padding between functions are never
// looked at. A call to a function of the same section is inlined: a block is a stretch of code in a
// *context*, the chain of calls that led there, and RET goes back to the caller of its context (the
// analyzer checks that the return address says the same). A CALL whose target is not the start of a
// function is the compiler's way of writing a far jump and is treated as one. Recursion is refused.
//
// Where control cannot be followed, the block ends in a `Lost` exit with a reason; a launch that
// cannot reach it is not harmed.
//
// Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001. Loops are
// natural loops; a retreating edge whose target does not dominate its source (irreducible control
// flow) makes the whole graph unusable.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reasons.hpp"
#include "container/cubin.hpp"
#include "sass/decoder.hpp"
#include "semantics/control.hpp"

namespace picker::analysis {

inline constexpr u32 kNone = std::numeric_limits<u32>::max();

// How a block ends.
enum class EndKind : u8 {
  kFallThrough,     // runs into the next block
  kBranch,          // conditional or not; edges say where
  kIndirectBranch,  // through a table: one edge per target
  kCall,            // edge into the callee
  kReturn,          // edge back to the caller
  kExit,            // the thread may end here; edge to the next block if conditional
  kTrap,            // ends the launch with an error
  kIndirectCall,    // the analyzer decides by the target's value; falls through only if predicated
  kLost,            // control flow that is not followed; `lost` says why
};

struct Edge {
  u32 block = 0;
  // Whether the edge is taken when the end's condition holds; false: when it does not. An
  // unconditional end has only `taken` edges.
  bool taken = true;
};

struct Block {
  u32 context = 0;
  u32 begin = 0;  // byte offset of the first instruction
  u32 end = 0;    // byte offset after the last
  EndKind ends = EndKind::kFallThrough;
  bool conditional = false;  // the end depends on the last instruction's guard or condition
  Reason lost{};
  std::vector<Edge> successors;
  std::vector<u32> predecessors;
  u32 immediate_dominator = kNone;      // none: entry
  u32 immediate_postdominator = kNone;  // none: the end of the thread
  u32 loop = kNone;                     // innermost loop
  u32 order = 0;                        // position in reverse postorder
};

struct FlowLoop {
  u32 header = 0;      // block
  u32 parent = kNone;  // loop
  u32 depth = 1;
  std::vector<u32> blocks;   // all, inner loops included, in reverse postorder
  std::vector<u32> latches;  // blocks with an edge back to the header
};

struct CallContext {
  u32 parent = kNone;     // context of the caller
  u32 function = 0;       // byte offset of the callee's first instruction
  u32 return_offset = 0;  // byte offset of the instruction after the call
};

struct ControlFlow {
  std::vector<sass::Instruction> instructions;  // by offset / 16; Opcode::kUnknown if not reached
  std::vector<Block> blocks;                    // in reverse postorder; 0 is the entry
  std::vector<FlowLoop> loops;                  // outer loops before inner ones
  std::vector<CallContext> contexts;            // 0: the kernel itself
  // Set if nothing can be concluded from the graph at all.
  std::optional<Reason> unusable;
  std::string unusable_detail;
  u32 unusable_offset = 0;

  [[nodiscard]] const sass::Instruction& at(u32 offset) const {
    return instructions[offset / sass::kInstructionBytes];
  }
  [[nodiscard]] bool loop_contains(u32 loop, u32 block) const {
    for (u32 at_loop = blocks[block].loop; at_loop != kNone; at_loop = loops[at_loop].parent)
      if (at_loop == loop) return true;
    return false;
  }
};

// Builds the graph of `kernel`. Never fails: see `unusable` and `EndKind::kLost`. Cost: linear in
// the reachable code, times the number of call contexts.
[[nodiscard]] ControlFlow build_control_flow(const container::Kernel& kernel,
                                             const sass::Decoder& decoder);

}  // namespace picker::analysis
