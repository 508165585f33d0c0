#include "bench/sample_cubins.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>

#include "container/container.hpp"

namespace picker::bench {
namespace {

namespace fs = std::filesystem;

std::vector<container::Cubin> load() {
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(PICKER_SOURCE_DIR "/samples/cubins", error))
    if (entry.path().string().ends_with(".sm_80.cubin")) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<container::Cubin> cubins;
  for (const std::string& path : paths) {
    const auto container = container::Container::open(path);
    if (!container) {
      std::cerr << "picker-bench: " << container.error().message << '\n';
      return {};
    }
    for (const container::Image& image : container->images()) {
      auto cubin = container->cubin(image);
      if (!cubin) {
        std::cerr << "picker-bench: " << cubin.error().message << '\n';
        return {};
      }
      cubins.push_back(std::move(*cubin));
    }
  }
  if (cubins.empty()) std::cerr << "picker-bench: no sample cubins\n";
  return cubins;
}

}  // namespace

const std::vector<container::Cubin>& sample_cubins() {
  static const std::vector<container::Cubin> cubins = load();
  return cubins;
}

}  // namespace picker::bench
