#include "validate/classify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/describe.hpp"
#include "container/constant_bank.hpp"
#include "validate/thread_walk.hpp"
#include "validate/verdict.hpp"

namespace picker::validate {
namespace {

using analysis::AccessKind;
using analysis::AccessSite;
using analysis::Summary;

constexpr u64 kFirstPointer = 0x7f00'0000'0000u;
constexpr u64 kPointerDistance = u64{1} << 32;
constexpr u32 kScalars[] = {64, 1000, 7, 1, 0};

struct Shape {
  std::array<u32, 3> grid, block;
};
constexpr Shape kShapes[] = {{{2, 1, 1}, {32, 1, 1}}, {{2, 2, 1}, {8, 8, 1}}};

// Whether `write` surely comes after a read of the same bytes by the same thread.
bool reads_first(const AccessSite& write, const AccessSite& read) {
  if (read.kind == AccessKind::kWrite || read.shielded || read.address != write.address ||
      read.size < write.size || read.loops != write.loops ||
      read.code_offset >= write.code_offset || read.generic)
    return false;
  return std::all_of(read.conditions.begin(), read.conditions.end(), [&](analysis::ExprId c) {
    return std::find(write.conditions.begin(), write.conditions.end(), c) != write.conditions.end();
  });
}

class Search {
 public:
  Search(const container::Cubin& cubin, const container::Kernel& kernel, const Summary& summary)
      : cubin_(cubin), kernel_(kernel), summary_(summary) {
    for (const AccessSite& site : summary.sites) {
      const auto argument = analysis::pointer_argument(summary.expressions, site.address, kernel);
      if (!argument) continue;
      const u32 offset =
          kernel.parameter_base + kernel.parameters[argument->ordinal].offset + argument->offset;
      pointers_.insert(offset);
      if (site.kind != AccessKind::kWrite && !site.shielded) read_.insert(offset);
      if (site.kind != AccessKind::kRead) written_.insert(offset);
    }
  }

  void run(Classification& result) {
    for (const Shape& shape : kShapes)
      for (const u32 scalar : kScalars) {
        Launch launch = make(shape, scalar);
        const Verdict apart = judge(launch);
        if (apart.kind == VerdictKind::kIdempotent && !result.idempotent &&
            !(apart.reads.empty() && apart.writes.empty()))
          result.idempotent = Exhibit{launch, describe("pointers apart", shape, scalar)};
        for (const u32 w : written_)
          for (const u32 r : read_) {
            if (result.conflict || w == r) continue;
            Launch aliased = launch;
            aliased.constant_bank.set_value(w, *launch.constant_bank.read(r, 8), 8);
            if (judge(aliased).kind == VerdictKind::kConflict)
              result.conflict = Exhibit{
                  aliased,
                  describe(fmt::format("{} where {} points", name(w), name(r)), shape, scalar)};
          }
        if (!result.conflict && apart.kind == VerdictKind::kConflict)
          result.conflict = Exhibit{launch, describe("pointers apart", shape, scalar)};
        if (result.idempotent && result.conflict) return;
        if (apart.kind == VerdictKind::kUnknown && !result.reason) {
          result.reason = apart.reason;
          result.detail = apart.detail;
        }
      }
  }

 private:
  Verdict judge(const Launch& launch) {
    ThreadWalk walk(cubin_, kernel_, summary_, launch);
    return validate(summary_, launch, &walk);
  }

  std::string name(u32 offset) const {
    for (const container::Parameter& p : kernel_.parameters)
      if (offset >= kernel_.parameter_base + p.offset &&
          offset < kernel_.parameter_base + p.offset + p.size)
        return p.size == 8 ? fmt::format("argument {}", p.ordinal)
                           : fmt::format("argument {} (byte {})", p.ordinal,
                                         offset - kernel_.parameter_base - p.offset);
    return "?";
  }

  static std::string describe(std::string_view what, const Shape& shape, u32 scalar) {
    return fmt::format("{}, scalars {}, grid {},{},{}, block {},{},{}", what, scalar, shape.grid[0],
                       shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                       shape.block[2]);
  }

  Launch make(const Shape& shape, u32 scalar) const {
    using container::DriverConstant;
    Launch launch;
    launch.grid = shape.grid;
    launch.block = shape.block;
    if (const auto* layout = container::constant_bank_layout(kernel_.sm)) {
      const DriverConstant dimensions[] = {DriverConstant::kBlockDimX, DriverConstant::kBlockDimY,
                                           DriverConstant::kBlockDimZ, DriverConstant::kGridDimX,
                                           DriverConstant::kGridDimY,  DriverConstant::kGridDimZ};
      for (u32 i = 0; i < 6; ++i)
        if (const auto* slot = layout->find(dimensions[i]))
          launch.constant_bank.set_value(slot->offset, i < 3 ? shape.block[i] : shape.grid[i - 3],
                                         4);
    }
    for (u32 at = 0; at + 4 <= kernel_.parameter_size; at += 4)
      launch.constant_bank.set_value(kernel_.parameter_base + at, scalar, 4);
    // A 64-bit scalar is the same small number, not two of them.
    for (const container::Parameter& p : kernel_.parameters)
      if (p.size == 8) launch.constant_bank.set_value(kernel_.parameter_base + p.offset, scalar, 8);
    u64 next = kFirstPointer;
    for (const u32 offset : pointers_) {
      launch.constant_bank.set_value(offset, next, 8);
      next += kPointerDistance;
    }
    for (size_t i = 0; i < summary_.symbols.size(); ++i) {
      launch.symbols.emplace_back(next);
      next += kPointerDistance;
    }
    return launch;
  }

  const container::Cubin& cubin_;
  const container::Kernel& kernel_;
  const Summary& summary_;
  std::set<u32> pointers_, read_, written_;  // offsets in constant bank 0
};

}  // namespace

Classification classify(const container::Cubin& cubin, const container::Kernel& kernel,
                        const Summary& summary) {
  Classification result;
  const bool understood =
      summary.findings.empty() && std::all_of(summary.sites.begin(), summary.sites.end(),
                                              [](const AccessSite& s) { return s.bounded; });
  const auto is_write = [](const AccessSite& s) { return s.kind != AccessKind::kRead; };
  const bool any_write = std::any_of(summary.sites.begin(), summary.sites.end(), is_write);
  const bool any_read =
      std::any_of(summary.sites.begin(), summary.sites.end(),
                  [](const AccessSite& s) { return s.kind != AccessKind::kWrite && !s.shielded; });
  if (summary.findings.empty() && (!any_write || !any_read)) {
    result.kernel_class = KernelClass::kAlways;
    return result;
  }
  const bool all_writes_conflict =
      any_write &&
      std::all_of(summary.sites.begin(), summary.sites.end(), [&](const AccessSite& s) {
        if (!is_write(s)) return true;
        if (s.generic) return false;
        if (s.kind == AccessKind::kReadWrite) return true;
        return std::any_of(summary.sites.begin(), summary.sites.end(),
                           [&](const AccessSite& r) { return reads_first(s, r); });
      });
  if (understood && all_writes_conflict) {
    result.kernel_class = KernelClass::kNever;
    return result;
  }
  for (const analysis::Finding& finding : summary.findings)
    if (finding.conditions.empty()) {
      result.reason = finding.reason;
      result.detail = finding.detail;
      return result;
    }
  Search(cubin, kernel, summary).run(result);
  if (result.idempotent && result.conflict) {
    result.kernel_class = KernelClass::kConditionally;
    result.reason.reset();
    result.detail.clear();
  } else if (!result.reason) {
    result.reason = analysis::Reason::kOverlapOfRanges;
    result.detail =
        result.idempotent ? "no conflicting launch was found" : "no idempotent launch was found";
  }
  return result;
}

std::string_view to_string(KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::kAlways:
      return "always";
    case KernelClass::kConditionally:
      return "conditionally";
    case KernelClass::kNever:
      return "never";
    case KernelClass::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace picker::validate
