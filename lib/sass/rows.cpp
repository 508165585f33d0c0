#include "sass/rows.hpp"

#include <iterator>

namespace picker::sass::tables {

#include "sass/table_data.inc"

const u32 kRowCount = static_cast<u32>(std::size(kRows));

}  // namespace picker::sass::tables
