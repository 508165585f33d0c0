#include "sass/special_registers.hpp"

#include <algorithm>

namespace picker::sass {
namespace {

// The first and the last family that has a name.
struct Entry {
  u8 number;
  std::string_view name;
  Family first = Family::kSm70;
  Family last = Family::kSm120;
};

// In order of number. Numbers without a name are not valid in compiled code.
constexpr Entry kNames[] = {
    {0, "SR_LANEID"},
    {1, "SR_CLOCK"},
    {2, "SR_VIRTCFG"},
    {3, "SR_VIRTID"},
    {15, "SR_ORDERING_TICKET"},
    {16, "SR_PRIM_TYPE"},
    {17, "SR_INVOCATION_ID"},
    {18, "SR_Y_DIRECTION"},
    {19, "SR_THREAD_KILL"},
    {20, "SM_SHADER_TYPE"},
    {21, "SR_DIRECTCBEWRITEADDRESSLOW"},
    {22, "SR_DIRECTCBEWRITEADDRESSHIGH"},
    {23, "SR_DIRECTCBEWRITEENABLED"},
    {24, "SR_MACHINE_ID_0", Family::kSm70, Family::kSm75},
    {24, "SR_SW_SCRATCH", Family::kSm80},
    {25, "SR_MACHINE_ID_1"},
    {26, "SR_MACHINE_ID_2"},
    {27, "SR_MACHINE_ID_3"},
    {28, "SR_AFFINITY"},
    {29, "SR_INVOCATION_INFO"},
    {30, "SR_WSCALEFACTOR_XY"},
    {31, "SR_WSCALEFACTOR_Z"},
    {32, "SR_TID"},
    {33, "SR_TID.X"},
    {34, "SR_TID.Y"},
    {35, "SR_TID.Z"},
    {37, "SR_CTAID.X"},
    {38, "SR_CTAID.Y"},
    {39, "SR_CTAID.Z"},
    {40, "SR_NTID"},
    {41, "SR_CirQueueIncrMinusOne"},
    {42, "SR_NLATC"},
    {44, "SR_SM_SPA_VERSION"},
    {45, "SR_MULTIPASSSHADERINFO"},
    {46, "SR_LWINHI"},
    {47, "SR_SWINHI"},
    {48, "SR_SWINLO"},
    {49, "SR_SWINSZ"},
    {50, "SR_SMEMSZ"},
    {51, "SR_SMEMBANKS"},
    {52, "SR_LWINLO"},
    {53, "SR_LWINSZ"},
    {54, "SR_LMEMLOSZ"},
    {55, "SR_LMEMHIOFF"},
    {56, "SR_EQMASK"},
    {57, "SR_LTMASK"},
    {58, "SR_LEMASK"},
    {59, "SR_GTMASK"},
    {60, "SR_GEMASK"},
    {61, "SR_REGALLOC"},
    {62, "SR_BARRIERALLOC"},
    {64, "SR_GLOBALERRORSTATUS"},
    {65, "SR_CGAERRORSTATUS", Family::kSm90},
    {66, "SR_WARPERRORSTATUS"},
    {67, "SR_VIRTUALSMID"},
    {68, "SR_VIRTUALENGINEID"},
    {80, "SR_CLOCKLO"},
    {81, "SR_CLOCKHI"},
    {82, "SR_GLOBALTIMERLO"},
    {83, "SR_GLOBALTIMERHI"},
    {84, "SR_ESR_PC"},
    {85, "SR_ESR_PC_HI"},
    {96, "SR_HWTASKID"},
    {97, "SR_CIRCULARQUEUEENTRYINDEX"},
    {98, "SR_CIRCULARQUEUEENTRYADDRESSLOW"},
    {99, "SR_CIRCULARQUEUEENTRYADDRESSHIGH"},
    {100, "SR_PM0"},
    {101, "SR_PM_HI0"},
    {102, "SR_PM1"},
    {103, "SR_PM_HI1"},
    {104, "SR_PM2"},
    {105, "SR_PM_HI2"},
    {106, "SR_PM3"},
    {107, "SR_PM_HI3"},
    {108, "SR_PM4"},
    {109, "SR_PM_HI4"},
    {110, "SR_PM5"},
    {111, "SR_PM_HI5"},
    {112, "SR_PM6"},
    {113, "SR_PM_HI6"},
    {114, "SR_PM7"},
    {115, "SR_PM_HI7"},
    {116, "SR_SNAP_PM0"},
    {117, "SR_SNAP_PM_HI0"},
    {118, "SR_SNAP_PM1"},
    {119, "SR_SNAP_PM_HI1"},
    {120, "SR_SNAP_PM2"},
    {121, "SR_SNAP_PM_HI2"},
    {122, "SR_SNAP_PM3"},
    {123, "SR_SNAP_PM_HI3"},
    {124, "SR_SNAP_PM4"},
    {125, "SR_SNAP_PM_HI4"},
    {126, "SR_SNAP_PM5"},
    {127, "SR_SNAP_PM_HI5"},
    {128, "SR_SNAP_PM6"},
    {129, "SR_SNAP_PM_HI6"},
    {130, "SR_SNAP_PM7"},
    {131, "SR_SNAP_PM_HI7"},
    {132, "SR_VARIABLE_RATE", Family::kSm75},
    {134, "SR_WARPGROUP_INFO", Family::kSm90, Family::kSm90},
    {134, "SR_WARPGROUP_INFO", Family::kSm110, Family::kSm110},
    {135, "SR_WARPGROUPID", Family::kSm90, Family::kSm90},
    {135, "SR_WARPGROUPID", Family::kSm110, Family::kSm110},
    {136, "SR_CgaCtaId", Family::kSm90},
    {137, "SR_GpcLocalCgaId", Family::kSm90},
    {138, "SR_CgaSize", Family::kSm100},
    {139, "SR_CTARegPoolSz", Family::kSm90},
    {141, "SR_TMemSz", Family::kSm100},
    {142, "SR_CONTEXT_SAVE_ADDR_LO", Family::kSm120},
    {143, "SR_CONTEXT_SAVE_ADDR_HI", Family::kSm120},
    {255, "SRZ"},
};

}  // namespace

std::string_view special_register_name(u32 number, Family family) {
  for (const Entry& entry : std::ranges::equal_range(kNames, number, {}, &Entry::number))
    if (entry.first <= family && family <= entry.last) return entry.name;
  return {};
}

std::string_view special_register_name(u32 number) {
  const auto found = std::ranges::equal_range(kNames, number, {}, &Entry::number);
  return found.empty() ? std::string_view() : found.front().name;
}

}  // namespace picker::sass
