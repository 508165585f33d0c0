#include "sass/rows.hpp"

#include <iterator>

namespace picker::sass::tables {

#include "sass/table_data.inc"

const u32 kRowCount = static_cast<u32>(std::size(kRows));
const u32 kCandidateCount = static_cast<u32>(std::size(kCandidates));

}  // namespace picker::sass::tables
