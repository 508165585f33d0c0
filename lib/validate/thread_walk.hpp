// Following one thread through the machine code, with memory unknown.
//
// The validator proves overlaps between sets of addresses that accesses *may* touch. Whether an
// access really happens is a question about one thread, and it is answered by running that thread:
// the same semantics as everywhere (lib/semantics), on words that are either known or not. What is
// loaded from memory is not known; a branch on something unknown ends the walk. Everything before
// that point happens for certain in every run of the launch, whatever memory holds.
//
// Cost: one pass over the thread's instructions, bounded by a counted budget; walks are remembered
// per thread.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analysis/control_flow.hpp"
#include "analysis/summary.hpp"
#include "container/cubin.hpp"
#include "sass/instruction.hpp"
#include "validate/launch.hpp"
#include "validate/verdict.hpp"

namespace picker::validate {

// Confirms accesses for one launch. Refers to all its arguments, which must outlive it. Not
// thread-safe.
class ThreadWalk : public Witness {
 public:
  ThreadWalk(const container::Cubin& cubin, const container::Kernel& kernel,
             const analysis::Summary& summary, const Launch& launch);
  ~ThreadWalk() override;

  bool executes(u32 site, const std::array<u32, 3>& block, const std::array<u32, 3>& thread,
                u64 address, u64 byte) override;

  // One access to global memory.
  struct Event {
    u32 code_offset = 0;
    u64 address = 0;
    u32 bytes = 0;
    bool read = false;
    bool write = false;
    bool barriers_before = false;   // a block barrier was passed before
    u32 epoch = 0;                  // barriers of the whole block passed before
    bool known_address = false;     // certain: the address is known and the access surely happens
    bool address_is_value = false;  // `address` is meaningful (also of generic accesses)
    bool may_shield = false;        // a certain, synchronous store to global memory
    bool shieldable = false;        // a coherent, synchronous load or atomic
    bool asynchronous = false;
  };
  // What one thread does.
  struct Walk {
    std::vector<Event> events;        // in order
    bool complete = false;            // ran to its end with every address, guard and branch known
    u32 epochs = 0;                   // barriers of the whole block passed, all in all
    bool only_whole_barriers = true;  // no other block barrier was met
  };
  // One thread up to where nothing more is certain. Remembered unless `remember` is false; the
  // reference is valid until the next call.
  const Walk& walk(const std::array<u32, 3>& block, const std::array<u32, 3>& thread,
                   bool remember = true);
  // Whether any walk so far executed the instruction at `code_offset`.
  [[nodiscard]] bool executed(u32 code_offset) const {
    return executed_[code_offset / sass::kInstructionBytes] != 0;
  }
  // Whether any walk so far passed a block barrier.
  [[nodiscard]] bool passed_barriers() const { return passed_barriers_; }
  // What is left of the budget, instructions.
  [[nodiscard]] u64 steps_left() const { return steps_left_; }

 private:
  struct Walker;
  [[nodiscard]] u32 block_ending_at(u32 context, u32 offset) const;
  [[nodiscard]] u32 context_of_call(u32 caller, u32 return_offset, u32 function) const;

  const container::Cubin& cubin_;
  const container::Kernel& kernel_;
  const analysis::Summary& summary_;
  const Launch& launch_;
  std::map<std::array<u32, 6>, Walk> walks_;
  Walk transient_;
  bool passed_barriers_ = false;
  std::vector<sass::Instruction> decoded_;
  std::vector<u8> executed_;
  analysis::ControlFlow flow_;
  std::map<std::pair<u32, u32>, u32> block_ends_;  // (context, last instruction) -> block
  u64 steps_left_;
};

}  // namespace picker::validate
