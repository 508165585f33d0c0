// Running one kernel of data/*.cubin on memory that a test lays out.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "emulator/machine.hpp"

namespace picker::emulator {

// The parameters of a launch, each aligned to its size as a compiler lays them out.
class Parameters {
 public:
  template <class T>
  Parameters& add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  [[nodiscard]] const std::vector<u8>& bytes() const { return bytes_; }

 private:
  std::vector<u8> bytes_;
};

template <class T>
void put(GlobalMemory& memory, u64 address, const std::vector<T>& content) {
  memory.allocate(address, content.size() * sizeof(T));
  memory.write(address, {reinterpret_cast<const u8*>(content.data()), content.size() * sizeof(T)});
}

template <class T>
std::vector<T> get(const GlobalMemory& memory, u64 address, size_t count) {
  std::vector<T> out(count);
  memory.read(address, {reinterpret_cast<u8*>(out.data()), count * sizeof(T)});
  return out;
}

// Runs `kernel` of tests/emulator/data/FILE.ARCHITECTURE.cubin.
inline Outcome run_on(const std::string& file, const std::string& architecture,
                      const std::string& kernel, const Launch& launch, GlobalMemory& memory,
                      const Options& options = {}) {
  const std::string path = std::string(PICKER_SOURCE_DIR) + "/tests/emulator/data/" + file + "." +
                           architecture + ".cubin";
  const auto input = container::read_input(path);
  EXPECT_TRUE(input.has_value()) << path;
  const auto cubin = container::Cubin::parse(input->bytes, path, input->owner);
  EXPECT_TRUE(cubin.has_value());
  const container::Kernel* k = cubin->find(kernel);
  EXPECT_NE(k, nullptr) << kernel;
  if (k == nullptr) return Outcome{End::kUnmodelled, 0, "no such kernel", 0, {}};
  const auto program = Program::load(*cubin, *k, {}, memory);
  EXPECT_TRUE(program.has_value());
  return run(*program, launch, memory, options);
}

}  // namespace picker::emulator
