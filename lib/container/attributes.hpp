// The attribute streams of a cubin: sections .nv.info (module) and .nv.info.KERNEL.
//
// A stream is a sequence of records {u8 format, u8 number, ...}: format 1 has no value, 2 one byte,
// 3 a 16-bit value, 4 a 16-bit size and that many bytes. The numbers that picker understands are
// listed here; for each it is known what it says and that it does not change what the code does to
// global memory beyond what the code itself says. A kernel with any other attribute may be patched
// or run in a way the analysis knows nothing of, so it must fail closed on it.
//
// Source: cubins compiled with one feature each; names as cuobjdump -elf prints them.
#pragma once

#include <string_view>
#include <vector>

#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

enum class AttributeNumber : u8 {
  kPad = 0x01,
  kCtaIdZUsed = 0x04,
  kMaxThreads = 0x05,
  kParameterBank = 0x0a,
  kExterns = 0x0f,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameterInfo = 0x17,
  kParameterSize = 0x19,
  kMaxRegisterCount = 0x1b,
  kExitOffsets = 0x1c,
  kCtaIdReadOffsets = 0x1d,
  kCallStackSize = 0x1e,
  kNeedsDeviceLaunchWrapper = 0x1f,
  kNeedsDeviceLaunchPatch = 0x20,
  kMaxStackSize = 0x23,
  kSystemAtomicOffsets = 0x27,
  kCooperativeGroupOffsets = 0x28,
  kCooperativeGroupMasks = 0x29,
  kWmmaUsed = 0x2b,
  kRegisterCount = 0x2f,
  kWarpWideOffsets = 0x31,
  kIndirectBranchTargets = 0x34,
  kHardwareWorkaround2861232 = 0x35,  // in every sm_80 and sm_86 kernel, without a value
  kHardwareWorkarounds = 0x36,
  kApiVersion = 0x37,
  kMemoryBarrierCount = 0x38,
  kMemoryBarrierOffsets = 0x39,
  kBlocksPerCluster = 0x3d,
  kExplicitCluster = 0x3e,
  kMaxClusterRank = 0x3f,
  kReservedSharedUsed = 0x41,
  kReservedSharedSize = 0x42,
  kUnusedLoadBytes = 0x44,
  kParameterInfo2 = 0x45,
  kSyscallOffsets = 0x46,
  kSystemFenceOffsets = 0x47,  // where the driver may strengthen MEMBAR.SYS
  kBarrierInitCount = 0x4a,
  kBarrierCount = 0x4c,
  kTextureModeIndependent = 0x4d,
  kSparseMmaMask = 0x50,
  kTensorCore1BlockUsed = 0x51,
  kTensorCore2BlocksUsed = 0x52,
  kErrorBarrierAtExit = 0x53,
  kRegisterReconfiguration = 0x54,
  kAnnotations = 0x55,  // {kind, code offset} pairs; kind 1 marks register spills
  kMercuryVersion = 0x5f,
  kClusterLaunchControlUsed = 0x62,
  kLanguage = 0x66,  // what the code was compiled from; 3: PTX
  kPreexitUsed = 0x6d,
};

struct Attribute {
  u8 number = 0;  // an AttributeNumber, or one that is not known
  u8 format = 0;
  u32 offset = 0;  // of the record in its section, bytes
  Slice payload;   // 0, 1, 2 or SIZE bytes by format
};

// Whether `number` is in AttributeNumber.
[[nodiscard]] bool attribute_known(u8 number);

// Splits a stream. Views `stream`. Errors: kMalformed, naming `section` and the offset.
[[nodiscard]] Expected<std::vector<Attribute>> parse_attributes(Slice stream,
                                                                std::string_view section);

}  // namespace picker::container
