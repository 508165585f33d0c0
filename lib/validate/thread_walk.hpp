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

#include "analysis/summary.hpp"
#include "container/cubin.hpp"
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

  // One access to global memory that surely happens.
  struct Event {
    u32 code_offset = 0;
    u64 address = 0;
    u32 bytes = 0;
    bool read = false;
    bool write = false;
    bool barriers_before = false;  // a block barrier was passed before
    bool known_address = false;
  };
  // The accesses of one thread in order, up to where the walk ended.
  const std::vector<Event>& walk(const std::array<u32, 3>& block, const std::array<u32, 3>& thread);

 private:
  struct Walker;
  const container::Cubin& cubin_;
  const container::Kernel& kernel_;
  const analysis::Summary& summary_;
  const Launch& launch_;
  std::map<std::array<u32, 6>, std::vector<Event>> walks_;
  u64 steps_left_;
};

}  // namespace picker::validate
