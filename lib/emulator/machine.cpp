#include "emulator/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <memory>

#include "emulator/warp.hpp"

namespace picker::emulator {

using container::DriverConstant;

namespace {

constexpr size_t kResidentBlocks = 6;
constexpr u32 kTurn = 20'000;  // warp instructions before others get theirs (fixed schedule)
constexpr u32 kLongestRandomTurn = 64;
constexpr u32 kMostWaitsInVain = 1000;
constexpr u32 kSpareLocalBytes = 0x220 + 0x400;  // above the stack pointer, and below the frame
constexpr u32 kMostLocalBytes = 1u << 18;

struct Block {
  BlockState state;
  std::shared_ptr<ClusterState> cluster;
  std::vector<std::unique_ptr<Warp>> warps;

  [[nodiscard]] bool exited() const { return state.live_threads == 0; }
};

// Where compilers look for what PTX calls %cluster_nctaid, %nclusterid and so on; and the dynamic
// shared size from sm_100 on, where these offsets are relative to a multiple of SR_CgaSize, which
// here is 0. %clusterid is computed as the block's index times a single precision reciprocal.
struct ClusterConstants {
  u32 first_sm;
  u16 size, inverse, clusters, rank_count, dynamic_shared;  // x; y and z follow; dynamic 0: none
};
constexpr ClusterConstants kClusterConstants[] = {
    {100, 0x2a0, 0x2b0, 0x2c0, 0x2cc, 0x2ac},
    {90, 0x144, 0x150, 0x15c, 0x188, 0},
};

void set_cluster_constants(u32 sm, const Launch& launch, std::vector<u8>& bank) {
  for (const ClusterConstants& where : kClusterConstants) {
    if (sm < where.first_sm) continue;
    const auto set = [&](size_t offset, u32 value) {
      if (offset + 4 <= bank.size()) std::memcpy(bank.data() + offset, &value, 4);
    };
    for (u32 axis = 0; axis < 3; ++axis) {
      const u32 size = launch.cluster[axis];
      set(where.size + 4 * axis, size);
      set(where.inverse + 4 * axis, std::bit_cast<u32>(1.0f / static_cast<float>(size)));
      set(where.clusters + 4 * axis, launch.grid[axis] / size);
    }
    set(where.rank_count, launch.cluster[0] * launch.cluster[1] * launch.cluster[2]);
    if (where.dynamic_shared != 0) set(where.dynamic_shared, launch.dynamic_shared_bytes);
    return;
  }
}

std::vector<u8> make_constant0(const Program& program, const Launch& launch, u64 seed) {
  const container::Kernel& kernel = program.kernel();
  const size_t size = std::max<size_t>(
      {kernel.constant0_size, size_t{kernel.parameter_base} + launch.parameters.size(), 0x160});
  std::vector<u8> bank(size);
  // What the driver put there and nobody documents may differ from run to run.
  Random random = random_for(seed, 2);
  for (u8& b : bank) b = static_cast<u8>(random.next());
  const auto set = [&](DriverConstant what, u64 value) {
    const auto* layout = container::constant_bank_layout(kernel.sm);
    const auto* slot = layout == nullptr ? nullptr : layout->find(what);
    if (slot == nullptr || size_t{slot->offset} + slot->size > bank.size()) return;
    std::memcpy(bank.data() + slot->offset, &value, slot->size);
  };
  set(DriverConstant::kBlockDimX, launch.block[0]);
  set(DriverConstant::kBlockDimY, launch.block[1]);
  set(DriverConstant::kBlockDimZ, launch.block[2]);
  set(DriverConstant::kGridDimX, launch.grid[0]);
  set(DriverConstant::kGridDimY, launch.grid[1]);
  set(DriverConstant::kGridDimZ, launch.grid[2]);
  set(DriverConstant::kSharedWindowBase, kSharedWindow);
  set(DriverConstant::kLocalWindowBase, kLocalWindow);
  set(DriverConstant::kStackPointer, kStackPointer);
  set(DriverConstant::kDynamicSharedSize, launch.dynamic_shared_bytes);
  set(DriverConstant::kTotalSharedSize, kernel.static_shared_size + launch.dynamic_shared_bytes);
  set(DriverConstant::kGlobalDescriptor, kGlobalDescriptor);
  set(DriverConstant::kIsExplicitCluster, launch.is_cluster_launch ? 1 : 0);
  set_cluster_constants(kernel.sm, launch, bank);
  if (!launch.parameters.empty())
    std::memcpy(bank.data() + kernel.parameter_base, launch.parameters.data(),
                launch.parameters.size());
  return bank;
}

u32 local_bytes_of(const container::Kernel& kernel) {
  const u32 stack =
      std::max({kernel.frame_size, kernel.min_stack_size, kernel.max_stack_size.value_or(0)});
  return std::min(stack + kSpareLocalBytes, kMostLocalBytes) / 16 * 16;
}

class Machine {
 public:
  Machine(const Program& program, const Launch& launch, GlobalMemory& memory,
          const Options& options)
      : shared_{program,
                launch,
                memory,
                options,
                make_constant0(program, launch, options.seed),
                random_for(options.seed, 3).next() >> 20,
                random_for(options.seed, 4),
                random_for(options.seed, 5),
                std::nullopt,
                local_bytes_of(program.kernel()),
                {}} {}

  Outcome run();

 private:
  // Clusters are numbered like blocks, x fastest.
  void start_cluster(u64 number);
  void start_block(u64 linear, const std::shared_ptr<ClusterState>& cluster);
  // Gives one warp its turn; false if it could not move.
  bool turn(Block& block, Warp& warp);
  void look_at_barriers(Block& block);
  void look_at_cluster(ClusterState& cluster);
  // Lets waits for barriers in shared memory return although no phase is over; false if there are
  // none, or if that has not helped for long.
  bool end_waits();
  void report_deadlock();

  Shared shared_;
  std::deque<std::unique_ptr<Block>> resident_;
  u64 steps_ = 0;
  u32 waits_in_vain_ = 0;  // since a phase was over
};

void Machine::start_cluster(u64 number) {
  const auto& grid = shared_.launch.grid;
  const auto& size = shared_.launch.cluster;
  const u64 across = grid[0] / size[0], down = grid[1] / size[1];
  const std::array<u64, 3> first = {number % across * size[0], number / across % down * size[1],
                                    number / across / down * size[2]};
  auto cluster = std::make_shared<ClusterState>();
  cluster->size = size;
  for (u64 z = 0; z < size[2]; ++z)
    for (u64 y = 0; y < size[1]; ++y)
      for (u64 x = 0; x < size[0]; ++x)
        start_block(first[0] + x + (first[1] + y + (first[2] + z) * grid[1]) * grid[0], cluster);
}

void Machine::start_block(u64 linear, const std::shared_ptr<ClusterState>& cluster) {
  const Launch& launch = shared_.launch;
  auto block = std::make_unique<Block>();
  BlockState& state = block->state;
  state.linear = linear;
  state.index = {static_cast<u32>(linear % launch.grid[0]),
                 static_cast<u32>(linear / launch.grid[0] % launch.grid[1]),
                 static_cast<u32>(linear / launch.grid[0] / launch.grid[1])};
  state.thread_count = launch.block[0] * launch.block[1] * launch.block[2];
  state.live_threads = state.thread_count;
  block->cluster = cluster;
  state.cluster = cluster.get();
  state.cluster_rank = static_cast<u32>(cluster->blocks.size());
  cluster->blocks.push_back(&state);
  cluster->live_threads += state.thread_count;
  Random random = random_for(shared_.options.seed, 6, linear);
  state.sm = static_cast<u32>(random.below(108));
  state.shared.resize(shared_.program.kernel().static_shared_size + launch.dynamic_shared_bytes);
  for (u8& b : state.shared) b = static_cast<u8>(random.next());
  for (u32 first = 0; first < state.thread_count; first += kWarpSize)
    block->warps.push_back(std::make_unique<Warp>(shared_, state, first));
  resident_.push_back(std::move(block));
}

void Machine::look_at_barriers(Block& block) {
  BlockState& state = block.state;
  state.check_barriers = false;
  for (u32 id = 0; id < kBarriers; ++id) {
    BlockBarrier& barrier = state.barriers[id];
    if (!barrier.in_use) continue;
    const u32 wanted = barrier.expected == 0 ? state.live_threads : barrier.expected;
    if (barrier.arrived < wanted) continue;
    const BlockBarrier done = barrier;
    barrier = {};
    if (!done.subset) ++state.epoch;
    for (const auto& warp : block.warps) warp->release_block_barrier(id, done);
    if (Recorder* recorder = shared_.options.recorder) recorder->barrier_done(state.linear, id);
  }
  look_at_cluster(*block.cluster);
}

void Machine::look_at_cluster(ClusterState& cluster) {
  const bool complete = cluster.complete();
  // All that was before it is before all that follows: in the second round everybody hears of all.
  if (Recorder* recorder = shared_.options.recorder; complete && recorder != nullptr)
    for (u32 round = 0; round < 2; ++round)
      for (const auto& block : resident_)
        if (block->cluster.get() == &cluster)
          for (const auto& warp : block->warps) recorder->may_order(warp->id());
  if (!complete && !cluster.phase_over) return;
  for (const auto& block : resident_)
    if (block->cluster.get() == &cluster)
      for (const auto& warp : block->warps) {
        if (complete) warp->release_cluster_barrier();
        if (cluster.phase_over && warp->look_at_phases_again(false)) waits_in_vain_ = 0;
      }
  cluster.phase_over = false;
}

bool Machine::end_waits() {
  bool any = false;
  for (const auto& block : resident_)
    for (const auto& warp : block->warps) any = warp->look_at_phases_again(true) || any;
  return any && ++waits_in_vain_ <= kMostWaitsInVain;
}

bool Machine::turn(Block& block, Warp& warp) {
  u64 left = kTurn;
  if (shared_.options.random_schedule) left = 1 + shared_.random.below(kLongestRandomTurn);
  bool moved = false;
  for (; left != 0; --left) {
    if (shared_.options.stop_after && steps_ >= *shared_.options.stop_after) {
      shared_.outcome = Outcome{End::kStopped, steps_, "stopped on request", 0, {}};
      return true;
    }
    if (steps_ >= shared_.options.max_steps) {
      shared_.outcome = Outcome{End::kStepLimit,
                                steps_,
                                fmt::format("kernel {}: no end after {} warp instructions; {}",
                                            shared_.program.kernel().name, steps_, warp.where()),
                                0,
                                {}};
      return true;
    }
    if (!warp.step()) break;
    moved = true;
    ++steps_;
    ++shared_.clock;
    if (shared_.outcome) return true;
    if (block.state.check_barriers) look_at_barriers(block);
  }
  return moved;
}

void Machine::report_deadlock() {
  std::string waiting;
  u32 listed = 0;
  for (const auto& block : resident_)
    for (const auto& warp : block->warps)
      if (const std::string place = warp->where(); !place.empty() && listed++ < 4)
        waiting += (waiting.empty() ? "" : "; ") + place;
  shared_.outcome = Outcome{End::kDeadlock,
                            steps_,
                            fmt::format("kernel {}: deadlock: no thread can go on; waiting: {}",
                                        shared_.program.kernel().name, waiting),
                            0,
                            {}};
}

Outcome Machine::run() {
  const Launch& launch = shared_.launch;
  const auto& size = launch.cluster;
  const u64 clusters =
      u64{launch.grid[0]} * launch.grid[1] * launch.grid[2] / (u64{size[0]} * size[1] * size[2]);
  const bool random = shared_.options.random_schedule;
  u64 next = 0;
  // A random order of clusters: a walk with a step prime to their number.
  u64 stride = 1, start = 0;
  if (random && clusters > 1) {
    const auto divisor = [](u64 a, u64 b) {
      while (b != 0) {
        const u64 r = a % b;
        a = b;
        b = r;
      }
      return a;
    };
    stride = 1 + shared_.random.below(clusters - 1);
    while (divisor(stride, clusters) != 1) stride = stride % clusters + 1;
    start = shared_.random.below(clusters);
  }
  while (!shared_.outcome) {
    while (resident_.size() < kResidentBlocks && next < clusters) {
      start_cluster(random ? static_cast<u64>((static_cast<u128>(next) * stride + start) % clusters)
                           : next);
      ++next;
    }
    if (resident_.empty()) break;
    bool moved = false;
    if (random) {
      // One warp, or if that one waits all of them once, beginning anywhere.
      Block& block = *resident_[shared_.random.below(resident_.size())];
      moved = turn(block, *block.warps[shared_.random.below(block.warps.size())]);
      for (size_t i = 0; !moved && i < resident_.size(); ++i)
        for (const auto& warp : resident_[i]->warps)
          if (!shared_.outcome && turn(*resident_[i], *warp)) {
            moved = true;
            break;
          }
    } else {
      // The oldest block as long as it can move, and the others when its turns are over.
      for (size_t i = 0; i < resident_.size() && !moved; ++i) {
        const u64 before = steps_;
        for (const auto& warp : resident_[i]->warps) {
          if (shared_.outcome) break;
          moved |= turn(*resident_[i], *warp);
        }
        // Nothing but spinning: let the next block in too.
        if (steps_ - before >= kTurn) moved = i + 1 == resident_.size();
      }
      if (!moved)
        for (const auto& block : resident_)
          for (const auto& warp : block->warps)
            if (!shared_.outcome) moved |= turn(*block, *warp);
    }
    if (!moved && !shared_.outcome) {
      bool all_exited = true;
      for (const auto& block : resident_) all_exited = all_exited && block->exited();
      if (!all_exited && !end_waits()) report_deadlock();
    }
    std::erase_if(resident_, [&](const std::unique_ptr<Block>& block) {
      if (!block->exited()) return false;
      block->cluster->blocks[block->state.cluster_rank] = nullptr;
      if (shared_.options.recorder != nullptr)
        shared_.options.recorder->block_end(block->state.linear);
      return true;
    });
  }
  Outcome outcome = shared_.outcome.value_or(Outcome{});
  outcome.steps = steps_;
  outcome.printed = std::move(shared_.printed);
  return outcome;
}

}  // namespace

Outcome run(const Program& program, const Launch& launch, GlobalMemory& memory,
            const Options& options) {
  for (u32 axis = 0; axis < 3; ++axis)
    if (launch.grid[axis] % launch.cluster[axis] != 0) {
      Outcome outcome;
      outcome.end = End::kFault;
      outcome.message = fmt::format(
          "kernel {}: the grid is no multiple of the cluster: the driver refuses such a launch",
          program.kernel().name);
      return outcome;
    }
  return Machine(program, launch, memory, options).run();
}

}  // namespace picker::emulator
