// A launch of the command line, made ready for the emulator: memory with its contents, symbols.
#pragma once

#include <memory>

#include "emulator/machine.hpp"
#include "emulator/program.hpp"
#include "tools/launch_arguments.hpp"

namespace picker::tools {

struct Emulation {
  emulator::GlobalMemory memory;  // as the launch finds it
  emulator::Launch launch;
  emulator::Program program;
};

// Refers to the cubin and the kernel, which must outlive the result. Errors: kUsage for a launch
// that the emulator cannot take, kMalformed for a file that cannot be read, kUnsupported.
[[nodiscard]] Expected<Emulation> prepare_emulation(const container::Cubin& cubin,
                                                    const container::Kernel& kernel,
                                                    const LaunchArguments& arguments);

}  // namespace picker::tools
