// What every subcommand shares: output format, exit statuses, diagnostics.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/diagnostic.hpp"

namespace picker::tools {

// Exit statuses (docs/command-line.md).
inline constexpr int kExitDone = 0;
inline constexpr int kExitNotIdempotent = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitMalformed = 3;
inline constexpr int kExitUnsupported = 4;

enum class Format { kText, kJson };

struct Global {
  Format format = Format::kText;
  bool color = false;  // standard output is a terminal and NO_COLOR is not set
};

// Keys keep the order in which they are inserted, so that output is stable and readable.
using Json = nlohmann::ordered_json;

// A subcommand adds itself, with its options, to `app` and sets `action` from its callback: the
// action runs after all of the command line has been understood and returns the exit status.
using Action = std::function<int(const Global&)>;
using AddSubcommand = void (*)(CLI::App& app, Action& action);

// Writes the diagnostic as one line "picker: ..." to standard error; returns the exit status.
int report(const Diagnostic& diagnostic);

// `text` with control characters replaced: names come from input files and go to terminals.
std::string printable(std::string_view text);

// Writes to standard output. Output that cannot be written is an error: returns kExitMalformed
// then, `status` otherwise.
int write_out(std::string_view text, int status = kExitDone);
int write_json(const Json& json, int status = kExitDone);

// "0x" and hexadecimal digits.
std::string hex(u64 value);

// `text` set off from the rest, where the terminal can.
std::string strong(const Global& global, std::string_view text);

}  // namespace picker::tools
