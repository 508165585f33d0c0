// Containment: does everything that a launch did lie where the summary says it may?
//
// Before the run, every access site is evaluated for the launch's arguments into the pieces that
// the validator would compare (validate/footprint.hpp). During the run every recorded access is
// held against the sites of its instruction. It is *checked* if all sites of the instruction are
// bounded, and then it must lie in one of their pieces: inside the hull, and at an address that the
// piece's base and dimensions can add up to. An access that no site of its instruction covers is an
// *escape*: a bug of the highest kind, for a verdict may rest on that site. So is an access at an
// instruction without any site, a kind of access the site does not have, and a read that the
// summary calls shielded and that was not. Where the summary says itself that it does not know (a
// finding at the instruction, or one after which it did not follow the code, if the launch can get
// there), accesses count as unbounded: the verdict is then `unknown` anyway.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/summary.hpp"
#include "emulator/memory.hpp"
#include "support/types.hpp"
#include "validate/evaluate.hpp"
#include "validate/footprint.hpp"
#include "validate/launch.hpp"

namespace picker::oracle {

struct Escape {
  u32 code_offset = 0;
  u64 address = 0;
  u32 bytes = 0;
  bool read = false;
  bool write = false;
  u64 block = 0;   // linear
  u32 thread = 0;  // linear in its block
  std::string why;
};

struct ContainmentReport {
  u64 checked = 0;    // accesses (by lane) at bounded sites
  u64 unbounded = 0;  // accesses at sites without a known range
  u64 escaped = 0;
  u32 sites = 0;                // instructions of the summary that access global memory
  u32 bounded_sites = 0;        // those of them with a known range in this launch
  std::vector<Escape> escapes;  // the first few
};

// Refers to nothing after construction but what it is told. Not thread-safe.
class ContainmentCheck : public emulator::Recorder {
 public:
  // `summary` is evaluated here, for this launch; both may go afterwards.
  ContainmentCheck(const analysis::Summary& summary, const validate::Launch& launch);
  ~ContainmentCheck() override;

  void record(const emulator::Access& access) override;
  [[nodiscard]] const ContainmentReport& report() const { return report_; }
  // Counts an escape for each instruction all of whose reads the summary calls shielded and that is
  // in `unshielded`: code offsets of reads that were seen without a shield.
  void check_shields(const std::vector<u32>& unshielded);

 private:
  struct Instruction;
  void escape(const emulator::Access& access, u32 lane, std::string why);

  std::unordered_map<u32, std::unique_ptr<Instruction>> instructions_;
  std::vector<u32> not_understood_;  // code offsets with a finding that is live in this launch
  bool not_followed_ = false;        // some code was not looked at, and the verdict says so
  ContainmentReport report_;
};

}  // namespace picker::oracle
