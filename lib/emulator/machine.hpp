// Executing a launch: grid, blocks, warps.
//
// The machine keeps a few blocks resident and gives their warps turns. A warp executes one
// instruction at a time for all of its lanes that stand at the same place (warp.hpp says which).
// By default blocks, warps and lanes take turns in a fixed order; on request the schedule is drawn
// from a seed. Whatever a real device leaves open (clocks, the number of the SM, driver-owned
// constants, the contents of registers, shared and local memory before their first write, the
// winner of a race inside a warp) comes from the same seed, so a run can be repeated exactly.
//
// A run ends when all threads have exited, or early: stopped on purpose after a number of steps
// (a kill), by a fault, by a deadlock, after too many steps (an endless loop, most likely), or at
// an instruction whose meaning is not modelled. The last case is never guessed around.
//
// Cost: about a hundred nanoseconds per warp instruction plus what the recorder takes; memory in
// proportion to resident blocks and pages touched.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "emulator/memory.hpp"
#include "emulator/program.hpp"
#include "emulator/texture.hpp"
#include "support/types.hpp"

namespace picker::emulator {

// Dimensions are counts, none of them zero.
struct Launch {
  std::array<u32, 3> grid = {1, 1, 1};   // blocks per axis
  std::array<u32, 3> block = {1, 1, 1};  // threads per axis, at most 1024 in all
  // Blocks per axis of one cluster, which divides the grid; at most 16 in all.
  std::array<u32, 3> cluster = {1, 1, 1};
  bool is_cluster_launch = false;  // what %is_explicit_cluster says
  u32 dynamic_shared_bytes = 0;
  std::vector<Image> images;   // textures and surfaces, by handle
  std::vector<u8> parameters;  // as they lie in constant bank 0 from the parameter base on
};

struct Options {
  u64 seed = 1;
  bool random_schedule = false;
  u64 max_steps = 50'000'000;     // warp instructions; more: kStepLimit
  std::optional<u64> stop_after;  // warp instructions: the kill
  Recorder* recorder = nullptr;   // null: nothing is recorded
};

enum class End : u8 {
  kDone,        // all threads have exited
  kStopped,     // killed, as Options::stop_after asked
  kFault,       // an access out of bounds or misaligned, or a trap
  kDeadlock,    // every thread waits
  kStepLimit,   // Options::max_steps: an endless loop, most likely
  kUnmodelled,  // an instruction, or a use of one, that the emulator does not execute
};

struct Outcome {
  End end = End::kDone;
  u64 steps = 0;        // warp instructions executed
  std::string message;  // what happened, where and to whom; empty if kDone
  u32 code_offset = 0;  // of the instruction, bytes from the start of the section
  std::string printed;  // what the kernel printed, at most a MiB
};

// Runs the launch on `memory`. Depends on its arguments alone. The program must outlive the call;
// a recorder is called from this thread.
[[nodiscard]] Outcome run(const Program& program, const Launch& launch, GlobalMemory& memory,
                          const Options& options);

}  // namespace picker::emulator
