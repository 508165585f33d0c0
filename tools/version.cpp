#include <fmt/format.h>

#include "tools/subcommands.hpp"

namespace picker::tools {

void add_version(CLI::App& app, Action& action) {
  CLI::App* subcommand = app.add_subcommand("version", "Prints the version of picker");
  subcommand->callback([&action] {
    action = [](const Global& global) {
      if (global.format == Format::kJson)
        return write_json(Json{{"schema", "picker.version/1"}, {"version", PICKER_VERSION}});
      return write_out(fmt::format("picker {}\n", PICKER_VERSION));
    };
  });
}

}  // namespace picker::tools
