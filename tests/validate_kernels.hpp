// Hand-built summaries of small kernels, the way the analyzer states them.
#pragma once

#include <array>

#include "analysis/summary.hpp"
#include "validate/launch.hpp"

namespace picker::validate {

inline constexpr u32 kBlockSizeOffset = 0x0;  // of axis 0 in constant bank 0
inline constexpr u32 kGridSizeOffset = 0xc;
inline constexpr u32 kParameterBase = 0x160;

// Builds sites with few words.
struct Kernel {
  using Id = analysis::ExprId;
  analysis::Summary summary;

  analysis::Expressions& e() { return summary.expressions; }
  Id number(u64 value, u8 width = 32) { return e().constant(width, value); }
  Id pointer(u32 index) { return e().launch_constant(64, kParameterBase + 8 * index); }
  Id scalar(u32 index) { return e().launch_constant(32, kParameterBase + 8 * index); }
  Id wide_scalar(u32 index) { return e().launch_constant(64, kParameterBase + 8 * index); }
  Id thread(u32 axis = 0) { return e().thread_index(axis); }
  Id block(u32 axis = 0) { return e().block_index(axis); }
  Id block_size(u32 axis = 0) { return e().launch_constant(32, kBlockSizeOffset + 4 * axis); }
  Id grid_size(u32 axis = 0) { return e().launch_constant(32, kGridSizeOffset + 4 * axis); }
  // blockIdx * blockDim + threadIdx
  Id global_index(u32 axis = 0) {
    return e().add(e().mul(block(axis), block_size(axis)), thread(axis));
  }
  Id threads_in_grid() { return e().mul(block_size(), grid_size()); }
  Id narrow_iteration(u32 loop) { return e().extract(e().iteration(loop, 0, false), 0, 32); }
  // pointer + scale * (long)index
  Id element(Id base, Id index, u64 scale = 4) {
    return e().add(base, e().mul(e().sign_extend(index, 64), number(scale, 64)));
  }
  Id unsigned_element(Id base, Id index, u64 scale = 4) {
    return e().add(base, e().mul(e().zero_extend(index, 64), number(scale, 64)));
  }
  analysis::AccessSite& site(analysis::AccessKind kind, Id address, u32 size,
                             std::vector<Id> conditions = {},
                             std::vector<analysis::LoopId> loops = {}) {
    analysis::AccessSite access;
    access.code_offset = static_cast<u32>(0x10 * (summary.sites.size() + 1));
    access.kind = kind;
    access.address = address;
    access.size = size;
    access.conditions = std::move(conditions);
    access.loops = std::move(loops);
    summary.sites.push_back(access);
    return summary.sites.back();
  }
  void read(Id address, std::vector<Id> conditions = {}, std::vector<u32> loops = {},
            u32 size = 4) {
    site(analysis::AccessKind::kRead, address, size, std::move(conditions), std::move(loops));
  }
  void write(Id address, std::vector<Id> conditions = {}, std::vector<u32> loops = {},
             u32 size = 4) {
    site(analysis::AccessKind::kWrite, address, size, std::move(conditions), std::move(loops));
  }
  u32 loop(std::vector<Id> continues, u32 parent = std::numeric_limits<u32>::max()) {
    analysis::Loop added;
    added.parent = parent;
    added.continues = std::move(continues);
    summary.loops.push_back(added);
    return static_cast<u32>(summary.loops.size() - 1);
  }
};

// A launch whose parameters are 8-byte slots.
inline Launch make_launch(std::array<u32, 3> grid, std::array<u32, 3> block,
                          const std::vector<u64>& parameters) {
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  for (u32 axis = 0; axis < 3; ++axis) {
    launch.constant_bank.set_value(kBlockSizeOffset + 4 * axis, block[axis], 4);
    launch.constant_bank.set_value(kGridSizeOffset + 4 * axis, grid[axis], 4);
  }
  for (u32 i = 0; i < parameters.size(); ++i)
    launch.constant_bank.set_value(kParameterBase + 8 * i, parameters[i], 8);
  return launch;
}

}  // namespace picker::validate
