// The `picker` command: reads the command line and runs one subcommand.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tools/command.hpp"
#include "tools/guarded_main.hpp"
#include "tools/subcommands.hpp"

namespace picker::tools {
namespace {

constexpr AddSubcommand kSubcommands[] = {
    add_list, add_disasm, add_analyze, add_check, add_emulate, add_version,
};

int run(int argc, char** argv) {
  CLI::App app("Tells whether a GPU kernel launch may be killed and started again.", "picker");
  app.require_subcommand(1);
  app.fallthrough();
  app.option_defaults()->always_capture_default();
  std::string format = "text";
  app.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}));

  Action action;
  for (const AddSubcommand add : kSubcommands) add(app, action);
  for (CLI::App* subcommand : app.get_subcommands({})) subcommand->fallthrough();

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report({ErrorKind::kUsage, std::string(error.what()) + " (picker --help says more)"});
  }
  Global global;
  global.format = format == "json" ? Format::kJson : Format::kText;
  const char* no_color = std::getenv("NO_COLOR");
  global.color = ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
  return action(global);
}

}  // namespace
}  // namespace picker::tools

int main(int argc, char** argv) {
  return picker::tools::guarded_main("picker", picker::tools::run, argc, argv);
}
