#include "container/constant_bank.hpp"

namespace picker::container {
namespace {

using enum DriverConstant;

constexpr DriverConstantSlot kSlots70[] = {
    {kBlockDimX, 0x0, 4},          {kBlockDimY, 0x4, 4},        {kBlockDimZ, 0x8, 4},
    {kGridDimX, 0xc, 4},           {kGridDimY, 0x10, 4},        {kGridDimZ, 0x14, 4},
    {kSharedWindowBase, 0x18, 8},  {kLocalWindowBase, 0x20, 8}, {kStackPointer, 0x28, 4},
    {kDynamicSharedSize, 0x2c, 4}, {kGridId, 0x30, 8},
};
constexpr DriverConstantSlot kSlots80[] = {
    {kBlockDimX, 0x0, 4},          {kBlockDimY, 0x4, 4},        {kBlockDimZ, 0x8, 4},
    {kGridDimX, 0xc, 4},           {kGridDimY, 0x10, 4},        {kGridDimZ, 0x14, 4},
    {kSharedWindowBase, 0x18, 8},  {kLocalWindowBase, 0x20, 8}, {kStackPointer, 0x28, 4},
    {kDynamicSharedSize, 0x2c, 4}, {kGridId, 0x30, 8},          {kTotalSharedSize, 0x114, 4},
    {kGlobalDescriptor, 0x118, 8},
};
constexpr DriverConstantSlot kSlots90[] = {
    {kBlockDimX, 0x0, 4},
    {kBlockDimY, 0x4, 4},
    {kBlockDimZ, 0x8, 4},
    {kGridDimX, 0xc, 4},
    {kGridDimY, 0x10, 4},
    {kGridDimZ, 0x14, 4},
    {kLocalWindowBase, 0x20, 8},
    {kStackPointer, 0x28, 4},
    {kDynamicSharedSize, 0x2c, 4},
    {kGridId, 0x30, 8},
    {kTotalSharedSize, 0x114, 4},
    {kIsExplicitCluster, 0x140, 4},
    {kClusterBlockCountX, 0x144, 4},
    {kClusterBlockCountY, 0x148, 4},
    {kClusterBlockCountZ, 0x14c, 4},
    {kGlobalDescriptor, 0x208, 8},
};
constexpr DriverConstantSlot kSlots100[] = {
    {kGridId, 0x140, 8},           {kTotalSharedSize, 0x16c, 4},   {kLocalWindowBase, 0x2f8, 8},
    {kGlobalDescriptor, 0x358, 8}, {kBlockDimX, 0x360, 4},         {kBlockDimY, 0x364, 4},
    {kBlockDimZ, 0x368, 4},        {kIsExplicitCluster, 0x36c, 4}, {kGridDimX, 0x370, 4},
    {kGridDimY, 0x374, 4},         {kGridDimZ, 0x378, 4},          {kStackPointer, 0x37c, 4},
};

constexpr bool disjoint_and_ascending(std::span<const DriverConstantSlot> slots) {
  for (size_t i = 1; i < slots.size(); ++i)
    if (slots[i].offset < slots[i - 1].offset + slots[i - 1].size) return false;
  return true;
}
static_assert(disjoint_and_ascending(kSlots70) && disjoint_and_ascending(kSlots80) &&
              disjoint_and_ascending(kSlots90) && disjoint_and_ascending(kSlots100));

constexpr ConstantBankLayout kLayouts[] = {
    {ArchitectureFamily::kSm70, 0x160, 0x1a80, kSlots70},
    {ArchitectureFamily::kSm75, 0x160, 0x1a80, kSlots70},
    {ArchitectureFamily::kSm80, 0x160, 0x1a80, kSlots80},
    {ArchitectureFamily::kSm90, 0x210, 0x210, kSlots90},
    {ArchitectureFamily::kSm100, 0x380, 0x380, kSlots100},
    {ArchitectureFamily::kSm120, 0x380, 0x380, kSlots100},
};

struct Architecture {
  u32 sm;
  ArchitectureFamily family;
};
constexpr Architecture kArchitectures[] = {
    {70, ArchitectureFamily::kSm70},   {75, ArchitectureFamily::kSm75},
    {80, ArchitectureFamily::kSm80},   {86, ArchitectureFamily::kSm80},
    {87, ArchitectureFamily::kSm80},   {89, ArchitectureFamily::kSm80},
    {90, ArchitectureFamily::kSm90},   {100, ArchitectureFamily::kSm100},
    {103, ArchitectureFamily::kSm100}, {110, ArchitectureFamily::kSm100},
    {120, ArchitectureFamily::kSm120}, {121, ArchitectureFamily::kSm120},
};

}  // namespace

std::optional<ArchitectureFamily> architecture_family(u32 sm) {
  for (const Architecture& architecture : kArchitectures)
    if (architecture.sm == sm) return architecture.family;
  return std::nullopt;
}

const DriverConstantSlot* ConstantBankLayout::find(u64 offset, u64 size) const {
  for (const DriverConstantSlot& slot : slots)
    if (offset >= slot.offset && size <= slot.size && offset - slot.offset <= slot.size - size)
      return &slot;
  return nullptr;
}

const DriverConstantSlot* ConstantBankLayout::find(DriverConstant constant) const {
  for (const DriverConstantSlot& slot : slots)
    if (slot.constant == constant) return &slot;
  return nullptr;
}

const ConstantBankLayout* constant_bank_layout(u32 sm) {
  const std::optional<ArchitectureFamily> family = architecture_family(sm);
  if (!family) return nullptr;
  for (const ConstantBankLayout& layout : kLayouts)
    if (layout.family == *family) return &layout;
  return nullptr;
}

}  // namespace picker::container
