// Decoding and printing: instructions per second over all words of the sample kernels.
#include <benchmark/benchmark.h>

#include "bench/registration.hpp"
#include "bench/sample_cubins.hpp"
#include "sass/decoder.hpp"
#include "sass/printer.hpp"

namespace picker::bench {
namespace {

struct Word {
  u64 lo, hi, offset;
};

const std::vector<Word>& words() {
  static const std::vector<Word> all = [] {
    std::vector<Word> out;
    for (const container::Cubin& cubin : sample_cubins())
      for (const container::Kernel& kernel : cubin.kernels())
        for (u64 at = 0; at + sass::kInstructionBytes <= kernel.code.size();
             at += sass::kInstructionBytes)
          out.push_back({kernel.code.read<u64>(at).value_or(0),
                         kernel.code.read<u64>(at + 8).value_or(0), at});
    return out;
  }();
  return all;
}

void decode(benchmark::State& state) {
  const sass::Decoder decoder(sass::Family::kSm80);
  sass::Instruction instruction;
  for (auto _ : state)
    for (const Word& word : words()) {
      decoder.decode(word.lo, word.hi, word.offset, instruction);
      benchmark::DoNotOptimize(instruction);
    }
  state.SetItemsProcessed(state.iterations() * static_cast<i64>(words().size()));
}

void decode_slowly(benchmark::State& state) {
  const sass::Decoder decoder(sass::Family::kSm80);
  for (auto _ : state)
    for (const Word& word : words())
      benchmark::DoNotOptimize(decoder.decode_slowly(word.lo, word.hi, word.offset));
  state.SetItemsProcessed(state.iterations() * static_cast<i64>(words().size()));
}

void decode_and_print(benchmark::State& state) {
  const sass::Decoder decoder(sass::Family::kSm80);
  for (auto _ : state)
    for (const Word& word : words())
      benchmark::DoNotOptimize(
          sass::to_text(decoder.decode(word.lo, word.hi, word.offset), word.lo, word.hi));
  state.SetItemsProcessed(state.iterations() * static_cast<i64>(words().size()));
}

}  // namespace

bool register_decode() {
  if (words().empty()) return false;
  benchmark::RegisterBenchmark("decode", decode)->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("decode_slowly", decode_slowly)->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("decode_and_print", decode_and_print)->Unit(benchmark::kMicrosecond);
  return true;
}

}  // namespace picker::bench
