// A launch as the command line states it: grid, block, arguments, allocations.
//
// Two steps. `LaunchOptions` are the words of the command line as they are; `resolve_launch` reads
// them with the kernel's metadata at hand, because an argument's width, the order of parameters and
// the limits of a launch are the kernel's. Whatever the driver would refuse is a usage error here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "container/cubin.hpp"
#include "support/diagnostic.hpp"
#include "support/types.hpp"

namespace CLI {
class App;
}

namespace picker::tools {

struct LaunchOptions {
  std::string file;
  std::string kernel;
  std::optional<std::string> architecture;
  std::string grid, block;
  std::optional<std::string> cluster;
  u64 shared_bytes = 0;
  std::optional<std::string> arguments;
  std::vector<std::string> allocations;
  std::vector<std::string> symbols;
  std::vector<std::string> assumptions;
  bool programmatic_dependency = false;
  std::string tier = "exact";
};

// Adds FILE, --kernel, --arch, --grid ... to a subcommand; they are stored in `options`, which must
// outlive the parse.
void add_launch_options(CLI::App& subcommand, LaunchOptions& options);

enum class Fill : u8 { kZero, kIota32, kRandom, kFile };

struct Allocation {
  u64 address = 0;
  u64 size = 0;  // bytes, at least 1
  Fill fill = Fill::kZero;
  u64 seed = 0;      // of kRandom
  std::string path;  // of kFile
};

struct SymbolPlacement {
  std::string name;
  u64 address = 0;
  std::optional<std::string> path;  // of a file with its content
};

// How far the validation may go.
enum class Tier : u8 { kHulls, kStrided, kExact };

struct LaunchArguments {
  container::Dimensions grid, block;
  container::Dimensions cluster = {1, 1, 1};  // blocks per cluster
  bool cluster_launch = false;                // --cluster was given or the kernel has cluster sizes
  u32 dynamic_shared_bytes = 0;
  std::vector<u8> parameters;           // Kernel::parameter_size bytes, as at the base; padding 0
  std::vector<Allocation> allocations;  // ascending, disjoint
  std::vector<SymbolPlacement> symbols;
  std::vector<std::string> assumptions;  // names of opt-in contracts, sorted
  bool programmatic_dependency = false;
  Tier tier = Tier::kExact;
};

// Errors: kUsage, naming the option and what was expected.
[[nodiscard]] Expected<LaunchArguments> resolve_launch(const LaunchOptions& options,
                                                       const container::Kernel& kernel);

// The opt-in contracts that --assume takes.
[[nodiscard]] const std::vector<std::string>& assumption_names();

}  // namespace picker::tools
