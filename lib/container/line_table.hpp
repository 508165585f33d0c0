// Source lines of code offsets, from section .debug_line.
//
// The section holds line-number programs (DWARF 2 to 4): byte codes for a small machine with the
// registers address, file and line, whose every "row" says that from this address on the code comes
// from that line. In a cubin each kernel is a sequence of its own that starts with set-address; the
// operand is zero and a relocation names the kernel, so rows are kept per text section. NVIDIA's
// extended opcode 0x90 (inlining context) is skipped: the row itself already names the innermost
// function's line. The cost is linear in the section; a lookup is a binary search.
//
// Source: DWARF Debugging Information Format version 4, section 6.2.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

struct SourceLine {
  u32 code_offset = 0;  // from the start of the text section, bytes
  u32 file = 0;         // index into LineTable::files
  u32 line = 0;         // 1-based; 0 if the compiler had none
};

// Owns everything it holds. Immutable after parse.
class LineTable {
 public:
  struct CodeAddress {
    u32 section;  // index of the text section
    u64 offset;   // in it, bytes
  };
  // Says what the 8-byte address stored at `offset` of the section with content `stored` stands
  // for, or nothing if no relocation covers it.
  using Resolve = std::function<std::optional<CodeAddress>(u64 offset, u64 stored)>;

  // Errors: kMalformed or kUnsupported, naming the offset in the section. Sequences whose address
  // does not resolve are dropped.
  [[nodiscard]] static Expected<LineTable> parse(Slice debug_line, const Resolve& resolve);

  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  // The line of the code at `offset` of text section `section`, or nothing.
  [[nodiscard]] std::optional<SourceLine> find(u32 section, u64 offset) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  struct Row {
    u32 section;
    u32 end_of_sequence;  // 0 or 1; a row that covers nothing
    u64 ordinal;          // in the order of the programs
    SourceLine line;
  };
  std::vector<std::string> files_;
  std::vector<Row> rows_;  // ascending by section, then offset
};

}  // namespace picker::container
