// The subcommands, one file each; main.cpp lists them.
#pragma once

#include "tools/command.hpp"

namespace picker::tools {

void add_emulate(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_disasm(CLI::App& app, Action& action);
void add_analyze(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);

}  // namespace picker::tools
