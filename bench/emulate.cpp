// Emulation: a matrix product whose warps are full nearly all the time, with and without the record
// of all accesses. An item is one lane's instruction.
#include <benchmark/benchmark.h>

#include <cstring>
#include <iostream>
#include <memory>

#include "bench/registration.hpp"
#include "bench/sample_cubins.hpp"
#include "emulator/machine.hpp"
#include "oracle/access_log.hpp"

namespace picker::bench {
namespace {

constexpr u32 kSize = 128;  // of the square matrices
constexpr u32 kTile = 8;    // threads of a block per axis: samples/matmul.cu
constexpr u64 kA = 0x7f00'0000'0000, kB = 0x7f00'1000'0000, kC = 0x7f00'2000'0000;

template <class T>
void append(std::vector<u8>& bytes, T value) {
  bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
  const size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

emulator::Launch product() {
  emulator::Launch launch;
  launch.grid = {kSize / kTile, kSize / kTile, 1};
  launch.block = {kTile, kTile, 1};
  for (u32 i = 0; i < 3; ++i) append(launch.parameters, kSize);
  append(launch.parameters, 1.0F);  // alpha
  append(launch.parameters, kA);
  append(launch.parameters, kB);
  append(launch.parameters, 0.0F);  // beta
  append(launch.parameters, kC);
  return launch;
}

struct Product {
  emulator::GlobalMemory memory;
  std::unique_ptr<emulator::Program> program;
  emulator::Launch launch = product();
};

std::unique_ptr<Product> load() {
  for (const container::Cubin& cubin : sample_cubins()) {
    const container::Kernel* kernel = cubin.find("matmul");
    if (kernel == nullptr) continue;
    auto made = std::make_unique<Product>();
    auto program = emulator::Program::load(cubin, *kernel, {}, made->memory);
    if (!program) {
      std::cerr << "picker-bench: " << program.error().message << '\n';
      return nullptr;
    }
    made->program = std::make_unique<emulator::Program>(std::move(*program));
    for (const u64 address : {kA, kB, kC})
      made->memory.allocate(address, u64{kSize} * kSize * sizeof(float));
    return made;
  }
  std::cerr << "picker-bench: no kernel matmul\n";
  return nullptr;
}

void emulate(benchmark::State& state, Product& one, bool recorded) {
  u64 lane_instructions = 0;
  for (auto _ : state) {
    oracle::AccessLog log;
    emulator::Options options;
    if (recorded) options.recorder = &log;
    const emulator::Outcome outcome = emulator::run(*one.program, one.launch, one.memory, options);
    if (outcome.end != emulator::End::kDone) state.SkipWithError(outcome.message.c_str());
    lane_instructions += outcome.steps * emulator::kWarpSize;
  }
  state.SetItemsProcessed(static_cast<i64>(lane_instructions));
}

}  // namespace

bool register_emulate() {
  static std::unique_ptr<Product> one = load();
  if (one == nullptr) return false;
  for (const bool recorded : {false, true})
    benchmark::RegisterBenchmark(
        recorded ? "emulate/matmul/recorded" : "emulate/matmul",
        [recorded](benchmark::State& state) { emulate(state, *one, recorded); })
        ->Unit(benchmark::kMillisecond);
  return true;
}

}  // namespace picker::bench
