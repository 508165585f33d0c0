#include "container/kernel_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "container/constant_bank.hpp"

namespace picker::container {
namespace {

// Applies one record after another; the first that is not as expected ends it with an error.
class Applier {
 public:
  Applier(Kernel& kernel, std::string_view section, std::span<const Symbol> symbols)
      : kernel_(kernel), section_(section), symbols_(symbols) {}

  Expected<void> apply(const Attribute& attribute);
  Expected<void> finish();

 private:
  std::unexpected<Diagnostic> bad(const Attribute& attribute, std::string_view what) const {
    return malformed(fmt::format("section {}: attribute 0x{:x} at offset 0x{:x}: {}", section_,
                                 attribute.number, attribute.offset, what));
  }
  Expected<void> words(const Attribute& attribute, std::vector<u32>& out) const;
  Expected<void> dimensions(const Attribute& attribute, std::optional<Dimensions>& out) const;
  Expected<void> parameter(const Attribute& attribute);
  Expected<void> parameter_bank(const Attribute& attribute);
  Expected<void> indirect_branches(const Attribute& attribute);
  Expected<void> annotations(const Attribute& attribute);

  Kernel& kernel_;
  std::string_view section_;
  std::span<const Symbol> symbols_;
  bool has_bank_ = false;
  std::optional<u32> stated_size_;
};

Expected<void> Applier::words(const Attribute& attribute, std::vector<u32>& out) const {
  if (attribute.format != 4 || attribute.payload.size() % 4 != 0)
    return bad(attribute, "expected a list of 32-bit words");
  for (u64 at = 0; at < attribute.payload.size(); at += 4)
    out.push_back(*attribute.payload.read<u32>(at));
  return {};
}

Expected<void> Applier::dimensions(const Attribute& attribute,
                                   std::optional<Dimensions>& out) const {
  std::vector<u32> values;
  if (Expected<void> done = words(attribute, values); !done) return done;
  if (values.size() != 3) return bad(attribute, "expected three 32-bit words");
  out = Dimensions{values[0], values[1], values[2]};
  return {};
}

Expected<void> Applier::parameter(const Attribute& attribute) {
  if (attribute.format != 4 || attribute.payload.size() != 12)
    return bad(attribute, "expected 12 bytes");
  const Slice payload = attribute.payload;
  Parameter parameter;
  parameter.ordinal = *payload.read<u16>(4);
  parameter.offset = *payload.read<u16>(6);
  if (attribute.number == static_cast<u8>(AttributeNumber::kParameterInfo)) {
    // Bits 0-7 alignment, 8-11 space, 12-16 bank (0x1f: the parameter bank), 17 in shared memory
    // (before Volta), 18-31 size.
    const u32 packed = *payload.read<u32>(8);
    parameter.log2_pointee_alignment = static_cast<u8>(packed & 0xff);
    parameter.space = static_cast<u8>((packed >> 8) & 0xf);
    parameter.size = packed >> 18;
    if (((packed >> 12) & 0x3f) != 0x1f)
      return bad(attribute, "parameter is not in the parameter bank");
  } else {
    parameter.size = *payload.read<u16>(8);
    parameter.log2_pointee_alignment = *payload.read<u8>(10);
    parameter.space = static_cast<u8>(*payload.read<u8>(11) & 0xf);
  }
  kernel_.parameters.push_back(parameter);
  return {};
}

Expected<void> Applier::parameter_bank(const Attribute& attribute) {
  if (attribute.format != 4 || attribute.payload.size() != 8)
    return bad(attribute, "expected 8 bytes");
  if (has_bank_) return bad(attribute, "second parameter bank");
  has_bank_ = true;
  // The first word names the constant bank's symbol. It is not used: libraries exist whose symbol
  // tables were rewritten without it. What the bank must hold is checked in finish().
  kernel_.parameter_base = *attribute.payload.read<u16>(4);
  kernel_.parameter_size = *attribute.payload.read<u16>(6);
  return {};
}

Expected<void> Applier::indirect_branches(const Attribute& attribute) {
  if (attribute.format != 4) return bad(attribute, "expected a list");
  const Slice payload = attribute.payload;
  u64 at = 0;
  while (at < payload.size()) {
    const std::optional<u32> branch = payload.read<u32>(at);
    const std::optional<u32> count = payload.read<u32>(at + 8);
    // {branch offset, two 16-bit words, number of targets, targets}
    if (!branch || !count || !payload.sub(at + 12, u64{*count} * 4))
      return bad(attribute, "list of branch targets is cut short");
    IndirectBranch entry{*branch, {}};
    entry.targets.reserve(*count);
    for (u32 i = 0; i < *count; ++i)
      entry.targets.push_back(*payload.read<u32>(at + 12 + u64{i} * 4));
    kernel_.indirect_branches.push_back(std::move(entry));
    at += 12 + u64{*count} * 4;
  }
  return {};
}

Expected<void> Applier::annotations(const Attribute& attribute) {
  constexpr u32 kSpill = 1;
  std::vector<u32> pairs;
  if (Expected<void> done = words(attribute, pairs); !done) return done;
  bool only_spills = pairs.size() % 2 == 0;
  for (size_t i = 0; i < pairs.size(); i += 2) only_spills = only_spills && pairs[i] == kSpill;
  if (!only_spills) kernel_.unknown_attributes.push_back(attribute.number);
  return {};
}

constexpr u32 kLanguagePtx = 3;

Expected<void> Applier::apply(const Attribute& attribute) {
  using enum AttributeNumber;
  if (!attribute_known(attribute.number)) {
    kernel_.unknown_attributes.push_back(attribute.number);
    return {};
  }
  const Slice payload = attribute.payload;
  switch (static_cast<AttributeNumber>(attribute.number)) {
    case kParameterInfo:
    case kParameterInfo2:
      return parameter(attribute);
    case kParameterBank:
      return parameter_bank(attribute);
    case kParameterSize:
      if (payload.size() != 2) return bad(attribute, "expected 2 bytes");
      stated_size_ = *payload.read<u16>(0);
      return {};
    case kExterns: {
      if (Expected<void> done = words(attribute, kernel_.externs); !done) return done;
      for (const u32 symbol : kernel_.externs)
        if (symbol >= symbols_.size())
          return bad(attribute, fmt::format("symbol {} does not exist", symbol));
      return {};
    }
    case kAnnotations:
      return annotations(attribute);
    case kLanguage:
      if (payload.size() != 4 || payload.read<u32>(0) != kLanguagePtx)
        kernel_.unknown_attributes.push_back(attribute.number);
      return {};
    case kExitOffsets:
      return words(attribute, kernel_.exit_offsets);
    case kSyscallOffsets:
      return words(attribute, kernel_.syscall_offsets);
    case kSystemAtomicOffsets:
      return words(attribute, kernel_.system_atomic_offsets);
    case kIndirectBranchTargets:
      return indirect_branches(attribute);
    case kRequiredThreads:
      return dimensions(attribute, kernel_.required_threads);
    case kMaxThreads:
      return dimensions(attribute, kernel_.max_threads);
    case kBlocksPerCluster:
      return dimensions(attribute, kernel_.blocks_per_cluster);
    case kExplicitCluster:
      kernel_.explicit_cluster = true;
      return {};
    case kMaxClusterRank:
      if (payload.size() != 4) return bad(attribute, "expected 4 bytes");
      kernel_.max_cluster_rank = payload.read<u32>(0);
      return {};
    case kBarrierCount:
      if (payload.size() != 1) return bad(attribute, "expected 1 byte");
      kernel_.barrier_count = *payload.read<u8>(0);
      return {};
    case kNeedsDeviceLaunchWrapper:
    case kNeedsDeviceLaunchPatch:
      kernel_.needs_device_launch = true;
      return {};
    case kClusterLaunchControlUsed:
      kernel_.cluster_launch_control = true;
      return {};
    default:
      return {};  // known and without consequence here
  }
}

Expected<void> Applier::finish() {
  const auto fail = [&](std::string message) {
    return malformed(fmt::format("section {}: {}", section_, message));
  };
  if (stated_size_ && has_bank_ && *stated_size_ != kernel_.parameter_size)
    return fail(
        fmt::format("parameter sizes {} and {} disagree", *stated_size_, kernel_.parameter_size));
  std::sort(kernel_.parameters.begin(), kernel_.parameters.end(),
            [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
  if (!kernel_.parameters.empty() && !has_bank_)
    return fail("parameters but no parameter bank (attribute 0xa)");
  u64 end = 0;
  for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const Parameter& parameter = kernel_.parameters[i];
    if (parameter.ordinal != i)
      return fail(fmt::format("parameter {} expected, found {}", i, parameter.ordinal));
    if (parameter.offset < end || u64{parameter.offset} + parameter.size > kernel_.parameter_size)
      return fail(
          fmt::format("parameter {} (offset 0x{:x}, {} bytes) overlaps its predecessor or "
                      "exceeds the {} bytes of parameters",
                      i, parameter.offset, parameter.size, kernel_.parameter_size));
    end = u64{parameter.offset} + parameter.size;
  }
  if (!has_bank_)
    if (const ConstantBankLayout* layout = constant_bank_layout(kernel_.sm))
      kernel_.parameter_base = layout->parameter_base;
  if (has_bank_ && u64{kernel_.parameter_base} + kernel_.parameter_size > kernel_.constant0_size)
    return fail(fmt::format("parameters at 0x{:x} with {} bytes exceed constant bank 0 ({} bytes)",
                            kernel_.parameter_base, kernel_.parameter_size,
                            kernel_.constant0_size));
  std::sort(kernel_.unknown_attributes.begin(), kernel_.unknown_attributes.end());
  kernel_.unknown_attributes.erase(
      std::unique(kernel_.unknown_attributes.begin(), kernel_.unknown_attributes.end()),
      kernel_.unknown_attributes.end());
  return {};
}

}  // namespace

Expected<void> apply_kernel_attributes(Kernel& kernel, std::vector<Attribute> attributes,
                                       std::string_view section, std::span<const Symbol> symbols) {
  Applier applier(kernel, section, symbols);
  for (const Attribute& attribute : attributes)
    if (Expected<void> done = applier.apply(attribute); !done) return done;
  kernel.attributes = std::move(attributes);
  return applier.finish();
}

}  // namespace picker::container
