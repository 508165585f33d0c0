// What the driver puts where in constant bank 0, per architecture.
//
// A kernel reads its launch configuration and parameters from c[0x0]: block and grid sizes at
// offsets that differ between families, then, from the parameter base on, the parameters. The base
// of a kernel is in its metadata (Kernel::parameter_base); the rest is known only by convention,
// and a table is the honest form of that. An offset below the parameter base that has no row here
// is the driver's own: constant during a launch, of unknown value, possibly different on a restart.
//
// Source: kernels that read one thing each, compiled for every architecture.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "support/types.hpp"

namespace picker::container {

// The encodings (and with them the layouts) that architectures share.
enum class ArchitectureFamily : u8 { kSm70, kSm75, kSm80, kSm90, kSm100, kSm120 };

// The family of `sm` (80 for sm_80), or nothing if picker does not handle that architecture.
[[nodiscard]] std::optional<ArchitectureFamily> architecture_family(u32 sm);

enum class DriverConstant : u8 {
  kBlockDimX,
  kBlockDimY,
  kBlockDimZ,
  kGridDimX,
  kGridDimY,
  kGridDimZ,
  kSharedWindowBase,   // generic address of shared memory
  kLocalWindowBase,    // generic address of local memory
  kStackPointer,       // initial R1, an offset in local memory
  kDynamicSharedSize,  // bytes asked for by the launch
  kGridId,
  kTotalSharedSize,
  kGlobalDescriptor,  // the desc[UR] of ordinary global accesses
  kIsExplicitCluster,
  kClusterBlockCountX,  // blocks per cluster (%cluster_nctaid.x)
  kClusterBlockCountY,
  kClusterBlockCountZ,
};

struct DriverConstantSlot {
  DriverConstant constant;
  u16 offset;  // in c[0x0], bytes
  u8 size;     // bytes, 4 or 8
};

struct ConstantBankLayout {
  ArchitectureFamily family;
  u16 parameter_base;                         // of kernels with at most 4 KB of parameters
  u16 large_parameter_base;                   // of kernels with more
  std::span<const DriverConstantSlot> slots;  // ascending offsets

  // The slot that holds all of the `size` bytes at `offset`, or null.
  [[nodiscard]] const DriverConstantSlot* find(u64 offset, u64 size) const;
  // The slot of `constant`, or null if this architecture has none at a fixed place.
  [[nodiscard]] const DriverConstantSlot* find(DriverConstant constant) const;
};

// The layout of `sm`, or null if picker does not handle that architecture. Static storage.
[[nodiscard]] const ConstantBankLayout* constant_bank_layout(u32 sm);

}  // namespace picker::container
