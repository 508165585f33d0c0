#include "tools/launch_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "support/checked.hpp"

namespace picker::tools {
namespace {

using container::Dimensions;
using container::Kernel;
using container::Parameter;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// A whole unsigned number, decimal or 0x hexadecimal; nothing if it is not one or does not fit.
std::optional<u64> parse_unsigned(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Expected<Dimensions> parse_dimensions(std::string_view option, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ',');
  u32 values[3] = {1, 1, 1};
  bool good = parts.size() <= 3;
  for (size_t i = 0; good && i < parts.size(); ++i) {
    const std::optional<u64> value = parse_unsigned(parts[i]);
    good = value && *value <= std::numeric_limits<u32>::max();
    if (good) values[i] = static_cast<u32>(*value);
  }
  if (!good)
    return usage_error(fmt::format("{} {}: expected X[,Y[,Z]] with whole numbers", option, text));
  return Dimensions{values[0], values[1], values[2]};
}

u64 volume(const Dimensions& d) { return u64{d.x} * d.y * d.z; }

std::string shown(const Dimensions& d) { return fmt::format("{},{},{}", d.x, d.y, d.z); }

// Largest shared memory of one block, bytes. Source: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability".
struct SharedLimit {
  u32 sm;
  u32 bytes;
};
constexpr SharedLimit kSharedLimits[] = {
    {70, 96u << 10},   {75, 64u << 10},   {80, 163u << 10}, {86, 99u << 10},
    {87, 163u << 10},  {89, 99u << 10},   {90, 227u << 10}, {100, 227u << 10},
    {103, 227u << 10}, {110, 227u << 10}, {120, 99u << 10}, {121, 99u << 10},
};
constexpr u32 kFirstWithClusters = 90;
constexpr u32 kReservedShared = 1024;  // counted in the static size from sm_90 on
constexpr u32 kMaxClusterSize = 16;    // 8 unless the kernel opts in to more

Expected<void> check_sizes(const LaunchArguments& launch, const Kernel& kernel) {
  const Dimensions& grid = launch.grid;
  const Dimensions& block = launch.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return usage_error(fmt::format("--grid {}: no dimension may be 0", shown(grid)));
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
    return usage_error(
        fmt::format("--grid {}: at most 2147483647,65535,65535 blocks", shown(grid)));
  if (block.x == 0 || block.y == 0 || block.z == 0)
    return usage_error(fmt::format("--block {}: no dimension may be 0", shown(block)));
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || volume(block) > 1024)
    return usage_error(
        fmt::format("--block {}: at most 1024,1024,64 threads and 1024 in all", shown(block)));
  if (const auto& required = kernel.required_threads;
      required && (required->x != block.x || required->y != block.y || required->z != block.z))
    return usage_error(fmt::format("--block {}: kernel {} requires {}", shown(block), kernel.name,
                                   shown(*required)));
  if (kernel.max_threads && volume(block) > volume(*kernel.max_threads))
    return usage_error(fmt::format("--block {}: kernel {} takes at most {} threads", shown(block),
                                   kernel.name, volume(*kernel.max_threads)));
  const Dimensions& cluster = launch.cluster;
  if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0)
    return usage_error(fmt::format("--cluster {}: no dimension may be 0", shown(cluster)));
  if (launch.cluster_launch && kernel.sm < kFirstWithClusters)
    return usage_error(
        fmt::format("--cluster {}: sm_{} has no clusters", shown(cluster), kernel.sm));
  if (const auto& fixed = kernel.blocks_per_cluster;
      fixed && (fixed->x != cluster.x || fixed->y != cluster.y || fixed->z != cluster.z))
    return usage_error(fmt::format("--cluster {}: kernel {} requires {}", shown(cluster),
                                   kernel.name, shown(*fixed)));
  if (cluster.x > kMaxClusterSize || cluster.y > kMaxClusterSize || cluster.z > kMaxClusterSize ||
      volume(cluster) > kMaxClusterSize)
    return usage_error(
        fmt::format("--cluster {}: at most {} blocks", shown(cluster), kMaxClusterSize));
  if (kernel.max_cluster_rank && volume(cluster) > *kernel.max_cluster_rank)
    return usage_error(fmt::format("--cluster {}: kernel {} takes at most {} blocks",
                                   shown(cluster), kernel.name, *kernel.max_cluster_rank));
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return usage_error(fmt::format("--grid {}: not a multiple of the cluster size {}", shown(grid),
                                   shown(cluster)));
  return {};
}

Expected<void> check_shared(u64 dynamic, const Kernel& kernel) {
  for (const SharedLimit& limit : kSharedLimits) {
    if (limit.sm != kernel.sm) continue;
    const u64 most = limit.bytes + (kernel.sm >= kFirstWithClusters ? kReservedShared : 0);
    const u64 available = most - std::min(most, kernel.static_shared_size);
    if (dynamic > available)
      return usage_error(fmt::format("--shared {}: a block of kernel {} on sm_{} can have {} bytes",
                                     dynamic, kernel.name, kernel.sm, available));
  }
  return {};
}

// Puts one argument into its place; `bytes` is exactly as long as the parameter.
class ArgumentReader {
 public:
  ArgumentReader(const Parameter& parameter, std::string_view text, std::span<u8> bytes)
      : parameter_(parameter), text_(text), bytes_(bytes) {}

  Expected<void> read() {
    if (text_.starts_with("hex:")) return read_hex(text_.substr(4));
    if (text_.starts_with("f:")) return read_float(text_.substr(2));
    return read_integer(text_);
  }

 private:
  std::unexpected<Diagnostic> bad(std::string_view what) const {
    return usage_error(fmt::format("--args: parameter {} ({} bytes): {}: {}", parameter_.ordinal,
                                   parameter_.size, text_, what));
  }

  Expected<void> read_hex(std::string_view digits) {
    if (digits.size() != bytes_.size() * 2)
      return bad(fmt::format("expected {} hexadecimal digits, found {}", bytes_.size() * 2,
                             digits.size()));
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const char* begin = digits.data() + 2 * i;
      const auto [end, error] = std::from_chars(begin, begin + 2, bytes_[i], 16);
      if (error != std::errc() || end != begin + 2) return bad("not hexadecimal");
    }
    return {};
  }

  template <typename T>
  Expected<void> read_float_as(std::string_view number) {
    T value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range) return bad("out of range");
    if (error != std::errc() || end != number.data() + number.size()) return bad("not a number");
    std::memcpy(bytes_.data(), &value, sizeof(T));
    return {};
  }

  Expected<void> read_float(std::string_view number) {
    if (bytes_.size() == 4) return read_float_as<float>(number);
    if (bytes_.size() == 8) return read_float_as<double>(number);
    return bad("f: needs a parameter of 4 or 8 bytes; use hex:");
  }

  Expected<void> read_integer(std::string_view number) {
    const size_t size = bytes_.size();
    if (size != 1 && size != 2 && size != 4 && size != 8)
      return bad("a number needs a parameter of 1, 2, 4 or 8 bytes; use hex:");
    const bool negative = number.starts_with('-');
    if (negative) number.remove_prefix(1);
    const std::optional<u64> magnitude = parse_unsigned(number);
    if (!magnitude) return bad("not a whole number of at most 64 bits");
    const u64 unsigned_most = size == 8 ? ~u64{0} : (u64{1} << (8 * size)) - 1;
    const u64 negative_most = u64{1} << (8 * size - 1);
    if (*magnitude > (negative ? negative_most : unsigned_most)) return bad("does not fit");
    const u64 value = negative ? ~*magnitude + 1 : *magnitude;
    std::memcpy(bytes_.data(), &value, size);
    return {};
  }

  const Parameter& parameter_;
  std::string_view text_;
  std::span<u8> bytes_;
};

Expected<std::vector<u8>> read_arguments(const std::optional<std::string>& text,
                                         const Kernel& kernel) {
  std::vector<std::string_view> values;
  if (text && !text->empty()) values = split(*text, ',');
  if (values.size() != kernel.parameters.size())
    return usage_error(fmt::format("--args: kernel {} has {} parameters, found {} values",
                                   kernel.name, kernel.parameters.size(), values.size()));
  std::vector<u8> bytes(kernel.parameter_size, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    const std::span<u8> place = std::span(bytes).subspan(parameter.offset, parameter.size);
    if (Expected<void> done = ArgumentReader(parameter, values[i], place).read(); !done)
      return std::unexpected(done.error());
  }
  return bytes;
}

// ADDR:SIZE[:zero|iota32|random:SEED|file:PATH]
Expected<Allocation> parse_allocation(std::string_view text) {
  const auto bad = [&](std::string_view what) {
    return usage_error(fmt::format("--alloc {}: {}", text, what));
  };
  const size_t first = text.find(':');
  if (first == std::string_view::npos) return bad("expected ADDR:SIZE");
  const size_t second = text.find(':', first + 1);
  const std::optional<u64> address = parse_unsigned(text.substr(0, first));
  const std::optional<u64> size = parse_unsigned(
      text.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
  if (!address || !size) return bad("expected ADDR:SIZE with whole numbers");
  if (*size == 0) return bad("size 0");
  if (!checked_add(*address, *size - 1)) return bad("runs past the end of the address space");
  Allocation allocation{*address, *size, Fill::kZero, 0, {}};
  if (second == std::string_view::npos) return allocation;
  const std::string_view fill = text.substr(second + 1);
  if (fill == "zero") return allocation;
  if (fill == "iota32") {
    allocation.fill = Fill::kIota32;
  } else if (fill.starts_with("random:")) {
    const std::optional<u64> seed = parse_unsigned(fill.substr(7));
    if (!seed) return bad("the seed is not a whole number");
    allocation.fill = Fill::kRandom;
    allocation.seed = *seed;
  } else if (fill.starts_with("file:") && fill.size() > 5) {
    allocation.fill = Fill::kFile;
    allocation.path = fill.substr(5);
  } else {
    return bad("expected zero, iota32, random:SEED or file:PATH after the size");
  }
  return allocation;
}

// NAME=ADDR[:file:PATH]
Expected<SymbolPlacement> parse_symbol(std::string_view text) {
  const auto bad = [&](std::string_view what) {
    return usage_error(fmt::format("--symbol {}: {}", text, what));
  };
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return bad("expected NAME=ADDR");
  const std::string_view place = text.substr(equals + 1);
  const size_t colon = place.find(':');
  const std::optional<u64> address = parse_unsigned(place.substr(0, colon));
  if (!address) return bad("the address is not a whole number");
  SymbolPlacement symbol{std::string(text.substr(0, equals)), *address, std::nullopt};
  if (colon == std::string_view::npos) return symbol;
  const std::string_view content = place.substr(colon + 1);
  if (!content.starts_with("file:") || content.size() == 5)
    return bad("expected file:PATH after the address");
  symbol.path = content.substr(5);
  return symbol;
}

}  // namespace

const std::vector<std::string>& assumption_names() {
  static const std::vector<std::string> names = {"annotations",          "idempotent-atomics",
                                                 "idempotent-functions", "in-bounds",
                                                 "no-early-dependent",   "private-system-scope"};
  return names;
}

void add_launch_options(CLI::App& subcommand, LaunchOptions& options) {
  subcommand.add_option("FILE", options.file, "A cubin, fatbin, program, library or archive")
      ->required();
  subcommand.add_option("--kernel", options.kernel, "The kernel (mangled name)")->required();
  subcommand.add_option("--arch", options.architecture, "Which code, if there are several (sm_80)");
  subcommand.add_option("--grid", options.grid, "Blocks: X[,Y[,Z]]")->required();
  subcommand.add_option("--block", options.block, "Threads per block: X[,Y[,Z]]")->required();
  subcommand.add_option("--cluster", options.cluster, "Blocks per cluster: X[,Y[,Z]]");
  subcommand.add_option("--shared", options.shared_bytes, "Dynamic shared memory, bytes");
  subcommand.add_option("--args", options.arguments,
                        "One value per parameter: 1000, -5, 0x7f00, f:1.5, hex:00ff");
  subcommand
      .add_option("--alloc", options.allocations,
                  "An allocation: ADDR:SIZE[:zero|iota32|random:SEED|file:PATH]")
      ->allow_extra_args(false);
  subcommand
      .add_option("--symbol", options.symbols, "Where a variable lies: NAME=ADDR[:file:PATH]")
      ->allow_extra_args(false);
  subcommand.add_option("--assume", options.assumptions, "Take an opt-in contract")
      ->check(CLI::IsMember(assumption_names()))
      ->allow_extra_args(false);
  subcommand.add_flag("--pdl", options.programmatic_dependency,
                      "The launch has the programmatic-dependency attribute");
  subcommand.add_option("--tier", options.tier, "How far to go: hulls, strided, exact")
      ->check(CLI::IsMember({"hulls", "strided", "exact"}));
}

Expected<LaunchArguments> resolve_launch(const LaunchOptions& options, const Kernel& kernel) {
  LaunchArguments launch;
  const Expected<Dimensions> grid = parse_dimensions("--grid", options.grid);
  if (!grid) return std::unexpected(grid.error());
  launch.grid = *grid;
  const Expected<Dimensions> block = parse_dimensions("--block", options.block);
  if (!block) return std::unexpected(block.error());
  launch.block = *block;
  if (options.cluster) {
    const Expected<Dimensions> cluster = parse_dimensions("--cluster", *options.cluster);
    if (!cluster) return std::unexpected(cluster.error());
    launch.cluster = *cluster;
    launch.cluster_launch = true;
  } else if (kernel.blocks_per_cluster) {
    launch.cluster = *kernel.blocks_per_cluster;
    launch.cluster_launch = true;
  }
  if (Expected<void> done = check_sizes(launch, kernel); !done)
    return std::unexpected(done.error());
  if (Expected<void> done = check_shared(options.shared_bytes, kernel); !done)
    return std::unexpected(done.error());
  if (options.shared_bytes > std::numeric_limits<u32>::max())
    return usage_error(fmt::format("--shared {}: does not fit 32 bits", options.shared_bytes));
  launch.dynamic_shared_bytes = static_cast<u32>(options.shared_bytes);

  Expected<std::vector<u8>> parameters = read_arguments(options.arguments, kernel);
  if (!parameters) return std::unexpected(parameters.error());
  launch.parameters = std::move(*parameters);

  for (const std::string& text : options.allocations) {
    Expected<Allocation> allocation = parse_allocation(text);
    if (!allocation) return std::unexpected(allocation.error());
    launch.allocations.push_back(std::move(*allocation));
  }
  std::sort(launch.allocations.begin(), launch.allocations.end(),
            [](const Allocation& a, const Allocation& b) { return a.address < b.address; });
  for (size_t i = 1; i < launch.allocations.size(); ++i) {
    const Allocation& previous = launch.allocations[i - 1];
    if (launch.allocations[i].address - previous.address < previous.size)
      return usage_error(fmt::format("--alloc 0x{:x}: overlaps that at 0x{:x}",
                                     launch.allocations[i].address, previous.address));
  }
  for (const std::string& text : options.symbols) {
    Expected<SymbolPlacement> symbol = parse_symbol(text);
    if (!symbol) return std::unexpected(symbol.error());
    for (const SymbolPlacement& other : launch.symbols)
      if (other.name == symbol->name)
        return usage_error(fmt::format("--symbol {}: placed twice", symbol->name));
    launch.symbols.push_back(std::move(*symbol));
  }
  launch.assumptions = options.assumptions;
  std::sort(launch.assumptions.begin(), launch.assumptions.end());
  launch.assumptions.erase(std::unique(launch.assumptions.begin(), launch.assumptions.end()),
                           launch.assumptions.end());
  launch.programmatic_dependency = options.programmatic_dependency;
  launch.tier = options.tier == "hulls"     ? Tier::kHulls
                : options.tier == "strided" ? Tier::kStrided
                                            : Tier::kExact;
  return launch;
}

}  // namespace picker::tools
