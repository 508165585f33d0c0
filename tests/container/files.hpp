// Test inputs from the source tree.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/types.hpp"

namespace picker::test {

inline std::vector<u8> read_file(const std::string& relative) {
  std::ifstream stream(std::string(PICKER_SOURCE_DIR) + "/" + relative, std::ios::binary);
  if (!stream) throw std::runtime_error("no test input " + relative);
  return std::vector<u8>(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace picker::test
