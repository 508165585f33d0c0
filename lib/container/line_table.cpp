#include "container/line_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace picker::container {
namespace {

// Reads forward through a slice; after a read outside, `ok()` is false and all reads give 0.
class Cursor {
 public:
  explicit Cursor(Slice bytes) : bytes_(bytes) {}
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] u64 offset() const { return offset_; }
  [[nodiscard]] bool at_end() const { return offset_ >= bytes_.size(); }

  template <typename T>
  T read() {
    const std::optional<T> value = bytes_.read<T>(offset_);
    if (!value) return fail(), T{};
    offset_ += sizeof(T);
    return *value;
  }
  void skip(u64 count) {
    if (!bytes_.sub(offset_, count)) return fail();
    offset_ += count;
  }
  std::string_view string() {
    const std::optional<std::string_view> text = bytes_.c_string(offset_);
    if (!text) return fail(), std::string_view();
    offset_ += text->size() + 1;
    return *text;
  }
  u64 unsigned_leb() {
    u64 value = 0;
    for (u32 shift = 0; shift < 64; shift += 7) {
      const u8 byte = read<u8>();
      value |= u64{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return fail(), 0;
  }
  i64 signed_leb() {
    u64 value = 0;
    for (u32 shift = 0; shift < 64; shift += 7) {
      const u8 byte = read<u8>();
      value |= u64{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) {
        if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~u64{0} << (shift + 7);
        return static_cast<i64>(value);
      }
    }
    return fail(), 0;
  }

 private:
  void fail() {
    ok_ = false;
    offset_ = bytes_.size();
  }
  Slice bytes_;
  u64 offset_ = 0;
  bool ok_ = true;
};

struct UnitHeader {
  u8 minimum_instruction_length = 1;
  i8 line_base = 0;
  u8 line_range = 1;
  u8 opcode_base = 1;
  std::vector<u8> operand_counts;  // of standard opcode i + 1
  std::vector<u32> file_index;     // DWARF file number - 1 to index in `files`
};

std::string joined(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return std::string(name);
  return fmt::format("{}/{}", directory, name);
}

// The state machine of DWARF 4, section 6.2.2.
struct State {
  std::optional<LineTable::CodeAddress> start;  // where the sequence's set-address led
  u64 advance = 0;                              // bytes since
  u64 file = 1;
  u64 line = 1;  // arithmetic wraps; a value beyond 32 bits gives no row
};

}  // namespace

Expected<LineTable> LineTable::parse(Slice debug_line, const Resolve& resolve) {
  LineTable table;
  u64 unit_offset = 0;
  while (unit_offset < debug_line.size()) {
    const std::optional<u32> length = debug_line.read<u32>(unit_offset);
    const std::optional<Slice> unit =
        length ? debug_line.sub(unit_offset + 4, *length) : std::nullopt;
    if (!unit)
      return malformed(fmt::format("section .debug_line: unit at offset 0x{:x} exceeds the section",
                                   unit_offset));
    const u64 base = unit_offset + 4;
    unit_offset = base + *length;

    Cursor cursor(*unit);
    const u16 version = cursor.read<u16>();
    if (cursor.ok() && (version < 2 || version > 4))
      return unsupported(
          fmt::format("section .debug_line: unit at offset 0x{:x} has version {}, expected 2 to 4",
                      base - 4, version));
    const u32 header_length = cursor.read<u32>();
    const u64 program_offset = cursor.offset() + header_length;
    UnitHeader header;
    header.minimum_instruction_length = cursor.read<u8>();
    if (version >= 4) cursor.skip(1);  // maximum operations per instruction: VLIW only
    cursor.skip(1);                    // default_is_stmt: every row counts here
    header.line_base = cursor.read<i8>();
    header.line_range = cursor.read<u8>();
    header.opcode_base = cursor.read<u8>();
    if (!cursor.ok() || header.line_range == 0 || header.opcode_base == 0)
      return malformed(
          fmt::format("section .debug_line: bad header of the unit at offset 0x{:x}", base - 4));
    for (u32 opcode = 1; opcode < header.opcode_base; ++opcode)
      header.operand_counts.push_back(cursor.read<u8>());
    std::vector<std::string_view> directories = {std::string_view()};
    while (cursor.ok()) {
      const std::string_view directory = cursor.string();
      if (directory.empty()) break;
      directories.push_back(directory);
    }
    const auto add_file = [&](std::string_view name, u64 directory) {
      header.file_index.push_back(static_cast<u32>(table.files_.size()));
      table.files_.push_back(joined(
          directory < directories.size() ? directories[directory] : std::string_view(), name));
    };
    while (cursor.ok()) {
      const std::string_view name = cursor.string();
      if (name.empty()) break;
      const u64 directory = cursor.unsigned_leb();
      cursor.unsigned_leb();  // modification time
      cursor.unsigned_leb();  // size
      add_file(name, directory);
    }
    if (!cursor.ok() || program_offset > unit->size())
      return malformed(fmt::format(
          "section .debug_line: header of the unit at offset 0x{:x} is cut short", base - 4));

    Cursor program(*unit->from(program_offset));
    State state;
    const auto emit = [&](bool end) {
      if (!state.start) return;
      const u64 offset = state.start->offset + state.advance;
      if (offset > std::numeric_limits<u32>::max() || state.line > std::numeric_limits<u32>::max())
        return;
      if (state.file == 0 || state.file > header.file_index.size()) return;
      table.rows_.push_back({state.start->section,
                             end ? 1u : 0u,
                             table.rows_.size(),
                             {static_cast<u32>(offset), header.file_index[state.file - 1],
                              static_cast<u32>(state.line)}});
    };
    while (!program.at_end()) {
      const u8 opcode = program.read<u8>();
      if (opcode >= header.opcode_base) {
        const u32 adjusted = opcode - header.opcode_base;
        state.advance += u64{adjusted / header.line_range} * header.minimum_instruction_length;
        state.line += static_cast<u64>(i64{header.line_base} + (adjusted % header.line_range));
        emit(false);
        continue;
      }
      switch (opcode) {
        case 0: {  // extended
          const u64 size = program.unsigned_leb();
          const u64 begin = program.offset();
          if (size == 0 || !program.ok()) break;
          const u8 extended = program.read<u8>();
          if (extended == 1) {  // end_sequence
            emit(true);
            state.start.reset();
            state.advance = 0;
            state.file = state.line = 1;
          } else if (extended == 2 && size == 9) {  // set_address
            const u64 at = base + program_offset + program.offset();
            const u64 stored = program.read<u64>();
            state.start = resolve(at, stored);
            state.advance = 0;
          } else if (extended == 3) {  // define_file
            const std::string_view name = program.string();
            const u64 directory = program.unsigned_leb();
            if (program.ok()) add_file(name, directory);
          }
          const u64 used = program.offset() - begin;
          if (program.ok() && used > size)
            return malformed(fmt::format(
                "section .debug_line: extended opcode at offset 0x{:x} exceeds its size",
                base + program_offset + begin));
          program.skip(size - std::min(used, size));
          break;
        }
        case 1:
          emit(false);
          break;  // copy
        case 2:   // advance_pc
          state.advance += program.unsigned_leb() * header.minimum_instruction_length;
          break;
        case 3:  // advance_line
          state.line += static_cast<u64>(program.signed_leb());
          break;
        case 4:
          state.file = program.unsigned_leb();
          break;  // set_file
        case 8:   // const_add_pc
          state.advance += u64{(255u - header.opcode_base) / header.line_range} *
                           header.minimum_instruction_length;
          break;
        case 9:
          state.advance += program.read<u16>();
          break;  // fixed_advance_pc
        default:  // no effect on address or line: skip the operands
          for (u8 i = 0; i < header.operand_counts[opcode - 1]; ++i) program.unsigned_leb();
          break;
      }
    }
    if (!program.ok())
      return malformed(fmt::format(
          "section .debug_line: program of the unit at offset 0x{:x} is cut short", base - 4));
  }
  std::sort(table.rows_.begin(), table.rows_.end(), [](const Row& a, const Row& b) {
    if (a.section != b.section) return a.section < b.section;
    if (a.line.code_offset != b.line.code_offset) return a.line.code_offset < b.line.code_offset;
    // A sequence that ends where the next begins must not hide the beginning.
    if (a.end_of_sequence != b.end_of_sequence) return a.end_of_sequence > b.end_of_sequence;
    return a.ordinal < b.ordinal;  // of rows for one address the last counts
  });
  return table;
}

std::optional<SourceLine> LineTable::find(u32 section, u64 offset) const {
  auto row = std::upper_bound(rows_.begin(), rows_.end(), std::pair(section, offset),
                              [](const std::pair<u32, u64>& key, const Row& candidate) {
                                if (key.first != candidate.section)
                                  return key.first < candidate.section;
                                return key.second < candidate.line.code_offset;
                              });
  if (row == rows_.begin()) return std::nullopt;
  --row;
  if (row->section != section || row->end_of_sequence != 0) return std::nullopt;
  return row->line;
}

}  // namespace picker::container
