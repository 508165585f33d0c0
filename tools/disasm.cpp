// picker disasm: the machine code of kernels as text.
#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"
#include "tools/selection.hpp"
#include "tools/subcommands.hpp"

namespace picker::tools {
namespace {

struct Options {
  std::string path;
  std::optional<std::string> kernel;
  std::optional<std::string> architecture;
};

int disasm(const Options& options, const Global& global) {
  const Expected<Selection> selection =
      select_kernels(options.path, options.kernel, options.architecture);
  if (!selection) return report(selection.error());
  // All architectures first, so that nothing is printed before the refusal.
  for (const SelectedKernel& selected : selection->kernels)
    if (!sass::family_of(selected.kernel->sm))
      return report(
          {ErrorKind::kUnsupported, fmt::format("{}: architecture sm_{} is not supported",
                                                selected.cubin->name(), selected.kernel->sm)});
  Json kernels = Json::array();
  fmt::memory_buffer text;
  for (const SelectedKernel& selected : selection->kernels) {
    const container::Kernel& kernel = *selected.kernel;
    const sass::Decoder decoder(*sass::family_of(kernel.sm));
    const bool json = global.format == Format::kJson;
    Json instructions = Json::array();
    if (!json) fmt::format_to(std::back_inserter(text), ".text.{}:\n", printable(kernel.name));
    for (u64 offset = 0; offset < kernel.code.size(); offset += sass::kInstructionBytes) {
      const u64 lo = *kernel.code.read<u64>(offset);
      const u64 hi = *kernel.code.read<u64>(offset + 8);
      const sass::Instruction instruction = decoder.decode(lo, hi, offset);
      if (json) {
        instructions.push_back({{"offset", hex(offset)},
                                {"text", sass::to_text(instruction, lo, hi)},
                                {"known", instruction.known()}});
      } else {
        fmt::format_to(std::back_inserter(text), "/*{:04x}*/ ", offset);
        sass::print(instruction, lo, hi, text);
        fmt::format_to(std::back_inserter(text), " ;\n");
      }
    }
    if (json)
      kernels.push_back({{"name", kernel.name},
                         {"arch", fmt::format("sm_{}", kernel.sm)},
                         {"instructions", std::move(instructions)}});
    // Large libraries: hand the text on kernel by kernel.
    if (const int status = json ? kExitDone : write_out(fmt::to_string(text)); status != kExitDone)
      return status;
    text.clear();
  }
  if (global.format == Format::kText) return kExitDone;
  return write_json(Json{{"schema", "picker.disasm/1"},
                         {"file", selection->container.name()},
                         {"kernels", std::move(kernels)}});
}

}  // namespace

void add_disasm(CLI::App& app, Action& action) {
  CLI::App* subcommand = app.add_subcommand("disasm", "Prints machine code (SASS)");
  auto options = std::make_shared<Options>();
  subcommand->add_option("FILE", options->path, "As for list")->required();
  subcommand->add_option("--kernel", options->kernel, "Only this kernel (mangled name)");
  subcommand->add_option("--arch", options->architecture,
                         "Only code for this architecture (sm_80)");
  subcommand->callback([&action, options] {
    action = [options](const Global& global) { return disasm(*options, global); };
  });
}

}  // namespace picker::tools
