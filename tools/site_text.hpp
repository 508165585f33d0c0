// Access sites and launches in the forms that several subcommands print.
#pragma once

#include <string>

#include "analysis/summary.hpp"
#include "container/cubin.hpp"
#include "tools/command.hpp"
#include "tools/launch_arguments.hpp"
#include "validate/launch.hpp"

namespace picker::tools {

// {"offset": ..., "text": ..., "file": ..., "line": ...}; file and line only where known.
[[nodiscard]] Json site_json(const container::Cubin& cubin, const container::Kernel& kernel,
                             u32 code_offset);
// "0x00e0 STG.E [R6.64], R9 (vadd.cu:12)".
[[nodiscard]] std::string site_text(const container::Cubin& cubin, const container::Kernel& kernel,
                                    u32 code_offset);

// The launch as the validator wants it. Errors: kUsage for a symbol that the file does not have.
[[nodiscard]] Expected<validate::Launch> make_launch(const container::Cubin& cubin,
                                                     const container::Kernel& kernel,
                                                     const analysis::Summary& summary,
                                                     const LaunchArguments& arguments);

}  // namespace picker::tools
