#include "tools/emulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "container/file.hpp"
#include "emulator/random.hpp"

namespace picker::tools {
namespace {

using emulator::GlobalMemory;

// Contents are written, so they must fit the emulator's memory.
constexpr u64 kMostFilledBytes = u64{1} << 29;

Expected<void> fill(const Allocation& allocation, GlobalMemory& memory) {
  if (allocation.fill == Fill::kZero) return {};  // as memory is
  if (allocation.fill == Fill::kFile) {
    const Expected<container::OwnedBytes> content = container::read_input(allocation.path);
    if (!content) return std::unexpected(content.error());
    memory.write(allocation.address,
                 content->bytes.bytes().first(std::min(content->bytes.size(), allocation.size)));
    return {};
  }
  if (allocation.size > kMostFilledBytes)
    return usage_error(fmt::format("--alloc {:#x}: the emulator fills at most {} bytes",
                                   allocation.address, kMostFilledBytes));
  std::vector<u8> bytes(allocation.size);
  emulator::Random random(allocation.seed);
  for (u64 at = 0; at < allocation.size; at += 4) {
    const u32 word = allocation.fill == Fill::kIota32 ? static_cast<u32>(at / 4)
                                                      : static_cast<u32>(random.next() >> 32);
    std::memcpy(bytes.data() + at, &word, std::min<u64>(4, allocation.size - at));
  }
  memory.write(allocation.address, bytes);
  return {};
}

}  // namespace

Expected<Emulation> prepare_emulation(const container::Cubin& cubin,
                                      const container::Kernel& kernel,
                                      const LaunchArguments& arguments) {
  GlobalMemory memory;
  for (const Allocation& allocation : arguments.allocations) {
    memory.allocate(allocation.address, allocation.size);
    if (Expected<void> done = fill(allocation, memory); !done) return std::unexpected(done.error());
  }
  std::vector<emulator::SymbolPlacement> placements;
  for (const SymbolPlacement& symbol : arguments.symbols) {
    placements.push_back({symbol.name, symbol.address, symbol.path.has_value()});
    if (!symbol.path) continue;
    const Expected<container::OwnedBytes> content = container::read_input(*symbol.path);
    if (!content) return std::unexpected(content.error());
    memory.write(symbol.address, content->bytes.bytes());
  }
  emulator::Launch launch;
  launch.grid = {arguments.grid.x, arguments.grid.y, arguments.grid.z};
  launch.block = {arguments.block.x, arguments.block.y, arguments.block.z};
  launch.cluster = {arguments.cluster.x, arguments.cluster.y, arguments.cluster.z};
  launch.is_cluster_launch = arguments.cluster_launch;
  launch.dynamic_shared_bytes = arguments.dynamic_shared_bytes;
  launch.parameters = arguments.parameters;
  Expected<emulator::Program> program = emulator::Program::load(cubin, kernel, placements, memory);
  if (!program) return std::unexpected(program.error());
  return Emulation{std::move(memory), std::move(launch), std::move(*program)};
}

}  // namespace picker::tools
