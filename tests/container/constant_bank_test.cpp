// Offsets were read from kernels that use one thing each (see samples/), not from the table.
#include "container/constant_bank.hpp"

#include <gtest/gtest.h>

namespace picker::container {
namespace {

TEST(ConstantBank, SupportedArchitectures) {
  for (const u32 sm : {70, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121})
    EXPECT_NE(constant_bank_layout(sm), nullptr) << sm;
  for (const u32 sm : {0, 52, 60, 61, 72, 101, 130})
    EXPECT_EQ(constant_bank_layout(sm), nullptr) << sm;
}

TEST(ConstantBank, LaunchSizes) {
  const auto at = [](u32 sm, u64 offset) {
    const DriverConstantSlot* slot = constant_bank_layout(sm)->find(offset, 4);
    return slot ? std::optional(slot->constant) : std::nullopt;
  };
  EXPECT_EQ(at(80, 0x0), DriverConstant::kBlockDimX);
  EXPECT_EQ(at(90, 0xc), DriverConstant::kGridDimX);
  EXPECT_EQ(at(90, 0x144), DriverConstant::kClusterBlockCountX);
  EXPECT_EQ(at(80, 0x144), std::nullopt);
  EXPECT_EQ(at(100, 0x360), DriverConstant::kBlockDimX);
  EXPECT_EQ(at(120, 0x378), DriverConstant::kGridDimZ);
  EXPECT_EQ(at(100, 0x0), std::nullopt);
}

TEST(ConstantBank, PartialReads) {
  const ConstantBankLayout& layout = *constant_bank_layout(80);
  EXPECT_EQ(layout.find(0x118, 8)->constant, DriverConstant::kGlobalDescriptor);
  EXPECT_EQ(layout.find(0x11c, 4)->constant, DriverConstant::kGlobalDescriptor);
  EXPECT_EQ(layout.find(0x11c, 8), nullptr);  // runs over the end
  EXPECT_EQ(layout.find(0x0, 8), nullptr);    // two items
  EXPECT_EQ(layout.find(0x2, 2)->constant, DriverConstant::kBlockDimX);
  EXPECT_EQ(constant_bank_layout(75)->find(DriverConstant::kGlobalDescriptor), nullptr);
}

}  // namespace
}  // namespace picker::container
