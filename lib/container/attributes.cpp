#include "container/attributes.hpp"

#include <fmt/format.h>

#include <limits>

namespace picker::container {

bool attribute_known(u8 number) {
  using enum AttributeNumber;
  switch (static_cast<AttributeNumber>(number)) {
    case kPad:
    case kCtaIdZUsed:
    case kMaxThreads:
    case kParameterBank:
    case kExterns:
    case kRequiredThreads:
    case kFrameSize:
    case kMinStackSize:
    case kParameterInfo:
    case kParameterSize:
    case kMaxRegisterCount:
    case kExitOffsets:
    case kCtaIdReadOffsets:
    case kCallStackSize:
    case kNeedsDeviceLaunchWrapper:
    case kNeedsDeviceLaunchPatch:
    case kMaxStackSize:
    case kSystemAtomicOffsets:
    case kCooperativeGroupOffsets:
    case kCooperativeGroupMasks:
    case kWmmaUsed:
    case kRegisterCount:
    case kWarpWideOffsets:
    case kIndirectBranchTargets:
    case kHardwareWorkaround2861232:
    case kHardwareWorkarounds:
    case kApiVersion:
    case kMemoryBarrierCount:
    case kMemoryBarrierOffsets:
    case kBlocksPerCluster:
    case kExplicitCluster:
    case kMaxClusterRank:
    case kReservedSharedUsed:
    case kReservedSharedSize:
    case kUnusedLoadBytes:
    case kParameterInfo2:
    case kSyscallOffsets:
    case kSystemFenceOffsets:
    case kBarrierInitCount:
    case kBarrierCount:
    case kTextureModeIndependent:
    case kSparseMmaMask:
    case kTensorCore1BlockUsed:
    case kTensorCore2BlocksUsed:
    case kErrorBarrierAtExit:
    case kRegisterReconfiguration:
    case kAnnotations:
    case kMercuryVersion:
    case kClusterLaunchControlUsed:
    case kLanguage:
    case kPreexitUsed:
      return true;
  }
  return false;
}

Expected<std::vector<Attribute>> parse_attributes(Slice stream, std::string_view section) {
  std::vector<Attribute> attributes;
  if (stream.size() > std::numeric_limits<u32>::max())
    return malformed(fmt::format("section {}: {} bytes are too many", section, stream.size()));
  u64 offset = 0;
  while (offset < stream.size()) {
    const std::optional<u8> format = stream.read<u8>(offset);
    const std::optional<u8> number = stream.read<u8>(offset + 1);
    const std::optional<u16> value = stream.read<u16>(offset + 2);
    if (!format || !number || !value)
      return malformed(fmt::format("section {}: attribute record at offset 0x{:x} is cut short",
                                   section, offset));
    Attribute attribute{*number, *format, static_cast<u32>(offset), Slice()};
    u64 size = 4;
    switch (*format) {
      case 1:
        break;
      case 2:
        attribute.payload = *stream.sub(offset + 2, 1);
        break;
      case 3:
        attribute.payload = *stream.sub(offset + 2, 2);
        break;
      case 4: {
        const std::optional<Slice> payload = stream.sub(offset + 4, *value);
        if (!payload)
          return malformed(fmt::format(
              "section {}: attribute 0x{:x} at offset 0x{:x} with {} bytes exceeds the section",
              section, *number, offset, *value));
        attribute.payload = *payload;
        size += *value;
        break;
      }
      default:
        return malformed(fmt::format("section {}: unknown attribute format {} at offset 0x{:x}",
                                     section, *format, offset));
    }
    attributes.push_back(attribute);
    offset += size;
  }
  return attributes;
}

}  // namespace picker::container
