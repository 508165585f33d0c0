#include "tools/site_text.hpp"

#include <fmt/format.h>

#include "container/constant_bank.hpp"
#include "sass/decoder.hpp"
#include "sass/printer.hpp"

namespace picker::tools {
namespace {

std::string instruction_text(const container::Kernel& kernel, u32 offset) {
  const auto family = sass::family_of(kernel.sm);
  const auto lo = kernel.code.read<u64>(offset), hi = kernel.code.read<u64>(u64{offset} + 8);
  if (!family || !lo || !hi) return "?";
  const sass::Decoder decoder(*family);
  return sass::to_text(decoder.decode(*lo, *hi, offset), *lo, *hi);
}

}  // namespace

Json site_json(const container::Cubin& cubin, const container::Kernel& kernel, u32 code_offset) {
  Json site = {{"offset", hex(code_offset)}, {"text", instruction_text(kernel, code_offset)}};
  if (const auto line = cubin.source_location(kernel, code_offset)) {
    site["file"] = cubin.line_table().files()[line->file];
    site["line"] = line->line;
  }
  return site;
}

std::string site_text(const container::Cubin& cubin, const container::Kernel& kernel,
                      u32 code_offset) {
  std::string text = fmt::format("{:#06x} {}", code_offset, instruction_text(kernel, code_offset));
  if (const auto line = cubin.source_location(kernel, code_offset))
    text += fmt::format(" ({}:{})", printable(cubin.line_table().files()[line->file]), line->line);
  return text;
}

Expected<validate::Launch> make_launch(const container::Cubin& cubin,
                                       const container::Kernel& kernel,
                                       const analysis::Summary& summary,
                                       const LaunchArguments& arguments) {
  using container::DriverConstant;
  validate::Launch launch;
  launch.grid = {arguments.grid.x, arguments.grid.y, arguments.grid.z};
  launch.block = {arguments.block.x, arguments.block.y, arguments.block.z};
  launch.cluster = {arguments.cluster.x, arguments.cluster.y, arguments.cluster.z};
  launch.dynamic_shared_bytes = arguments.dynamic_shared_bytes;
  launch.programmatic = arguments.programmatic_dependency;
  launch.contracts = arguments.assumptions;
  if (const auto* layout = container::constant_bank_layout(kernel.sm)) {
    const auto set = [&](DriverConstant what, u32 value) {
      if (const auto* slot = layout->find(what))
        launch.constant_bank.set_value(slot->offset, value, 4);
    };
    set(DriverConstant::kBlockDimX, arguments.block.x);
    set(DriverConstant::kBlockDimY, arguments.block.y);
    set(DriverConstant::kBlockDimZ, arguments.block.z);
    set(DriverConstant::kGridDimX, arguments.grid.x);
    set(DriverConstant::kGridDimY, arguments.grid.y);
    set(DriverConstant::kGridDimZ, arguments.grid.z);
  }
  launch.constant_bank.set(kernel.parameter_base, arguments.parameters);
  for (const Allocation& allocation : arguments.allocations)
    launch.allocations.push_back({allocation.address, allocation.size});
  launch.symbols.resize(summary.symbols.size());
  for (const SymbolPlacement& placement : arguments.symbols) {
    bool exists = false;
    for (const container::Variable& variable : cubin.constant3_variables()) {
      if (variable.name != placement.name) continue;
      exists = true;
      for (size_t i = 0; i < summary.symbols.size(); ++i)
        if (summary.symbols[i].constant_bank)
          launch.symbols[i] = placement.address - variable.offset;
    }
    for (const container::Symbol& symbol : cubin.symbols()) exists |= symbol.name == placement.name;
    if (!exists)
      return usage_error(
          fmt::format("--symbol {}: {} has no such symbol", placement.name, cubin.name()));
    for (size_t i = 0; i < summary.symbols.size(); ++i)
      if (!summary.symbols[i].constant_bank && summary.symbols[i].name == placement.name)
        launch.symbols[i] = placement.address;
  }
  return launch;
}

}  // namespace picker::tools
