// Textures and surfaces of the command line, as the emulator takes them.
#pragma once

#include <string>

#include "emulator/texture.hpp"
#include "support/diagnostic.hpp"

namespace picker::tools {

// HANDLE:ADDRESS:TYPE:SIZE[:OPTION...]; see docs/command-line.md. Errors: kUsage.
[[nodiscard]] Expected<emulator::Image> parse_texture(const std::string& text);

}  // namespace picker::tools
