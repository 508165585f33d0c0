// Members of a static library (`ar` archive, System V / GNU variant).
//
// "!<arch>\n", then members: a header of 60 printable characters {name 16, date 12, owner 6, group
// 6, mode 8, size 10, "`\n"} and the content, padded to an even offset. Names longer than 15
// characters are "/OFFSET" into the member "//"; "/" and "/SYM64/" are symbol indices.
//
// Source: ar(5) as in FreeBSD and GNU binutils.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

struct ArchiveMember {
  std::string name;
  Slice content;
};

[[nodiscard]] bool has_archive_magic(Slice bytes);

// The members in file order without symbol and name tables. Views `bytes`. Errors: kMalformed with
// the offset; kUnsupported for a thin archive, whose members are in other files.
[[nodiscard]] Expected<std::vector<ArchiveMember>> parse_archive(Slice bytes);

}  // namespace picker::container
