// The launches of samples/*.json as options of the command line.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/launch_arguments.hpp"

namespace picker {

inline const std::filesystem::path kSamples = std::filesystem::path(PICKER_SOURCE_DIR) / "samples";

// Strings, or numbers as they are written, with commas between.
inline std::string join(const nlohmann::json& list) {
  std::string out;
  for (const nlohmann::json& part : list)
    out += (out.empty() ? "" : ",") + (part.is_string() ? part.get<std::string>() : part.dump());
  return out;
}

// `launch` is an entry of a table, of `kernel` in the cubin `file`. Contracts are left out.
inline tools::LaunchOptions options_of(const nlohmann::json& launch, const std::string& kernel,
                                       const std::string& file) {
  tools::LaunchOptions options;
  options.file = file;
  options.kernel = kernel;
  options.grid = join(launch["grid"]);
  options.block = join(launch["block"]);
  options.shared_bytes = launch["shared"].get<u64>();
  if (!launch["args"].empty()) options.arguments = join(launch["args"]);
  options.allocations = launch["alloc"].get<std::vector<std::string>>();
  for (const auto& [name, place] : launch["symbols"].items()) {
    std::string text = name + "=" + place.get<std::string>();
    // Contents lie in files beside the tables.
    if (const size_t at = text.find(":file:"); at != std::string::npos)
      text = text.substr(0, at + 6) + (kSamples / text.substr(at + 6)).string();
    options.symbols.push_back(text);
  }
  return options;
}

}  // namespace picker
