// sass-words: the distinct instruction words of files; the proof scripts are fed by it.
//
// Usage: sass-words DIRECTORY FILE... FILE is anything that `picker list` reads. Writes the words
// of each architecture to DIRECTORY/sm_NN.words (16 bytes each, little-endian, sorted); words that
// differ in their scheduling bits alone count once. What a file of that name holds already stays.
// Prints a line per architecture. Exit status 3 if a file or an image in it cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "container/container.hpp"
#include "container/elf.hpp"
#include "tools/guarded_main.hpp"

namespace {

using namespace picker;

constexpr u64 kExecutable = 4;  // SHF_EXECINSTR
constexpr u32 kProgramBits = 1;
// Bits 105 to 125 of a word: when it is issued, not what it does.
constexpr u64 kScheduling = ((u64{1} << 21) - 1) << 41;

struct Word {
  u64 lo, hi;
  [[nodiscard]] u64 payload() const { return hi & ~kScheduling; }
};

// A set of words, made distinct whenever it has doubled.
class WordSet {
 public:
  void add(Slice code) {
    const std::size_t count = code.size() / 16;
    const std::size_t first = words_.size();
    words_.resize(first + count);
    std::memcpy(words_.data() + first, code.data(), count * 16);
    total_ += count;
    if (words_.size() > 2 * distinct_ + (u64{1} << 20)) compact();
  }
  void compact() {
    const auto key = [](const Word& word) { return std::pair(word.lo, word.payload()); };
    std::ranges::sort(
        words_, {}, [](const Word& word) { return std::tuple(word.lo, word.payload(), word.hi); });
    const auto rest = std::ranges::unique(words_, {}, key);
    words_.erase(rest.begin(), rest.end());
    distinct_ = words_.size();
  }
  [[nodiscard]] const std::vector<Word>& words() const { return words_; }
  [[nodiscard]] u64 total() const { return total_; }

 private:
  std::vector<Word> words_;
  std::size_t distinct_ = 0;
  u64 total_ = 0;
};

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: sass-words DIRECTORY FILE...\n", stderr);
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  std::map<u32, WordSet> sets;
  int status = 0;
  for (int i = 2; i < argc; ++i) {
    const auto container = container::Container::open(argv[i]);
    if (!container) {
      fmt::print(stderr, "sass-words: {}\n", container.error().message);
      status = 3;
      continue;
    }
    for (const container::Image& image : container->images()) {
      if (image.kind != container::ImageKind::kCubin) continue;
      const auto bytes = container->bytes(image);
      const Expected<container::Elf> elf =
          bytes ? container::Elf::parse(bytes->bytes) : std::unexpected(bytes.error());
      if (!elf) {
        fmt::print(stderr, "sass-words: {}: {}\n", argv[i], elf.error().message);
        status = 3;
        continue;
      }
      for (const container::Section& section : elf->sections())
        if (section.type == kProgramBits && (section.flags & kExecutable) != 0)
          sets[image.sm].add(section.content);
    }
  }
  for (auto& [sm, set] : sets) {
    const std::filesystem::path path = directory / fmt::format("sm_{}.words", sm);
    const u64 total = set.total();
    if (std::ifstream old(path, std::ios::binary); old) {
      const std::string held((std::istreambuf_iterator<char>(old)), {});
      set.add(Slice({reinterpret_cast<const u8*>(held.data()), held.size()}));
    }
    set.compact();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(set.words().data()),
               static_cast<std::streamsize>(set.words().size() * sizeof(Word)));
    if (!file.flush()) {
      fmt::print(stderr, "sass-words: cannot write {}\n", path.string());
      return 3;
    }
    fmt::print("sm_{}: {} instructions, {} distinct words in {}\n", sm, total, set.words().size(),
               path.string());
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return picker::tools::guarded_main("sass-words", run, argc, argv);
}
