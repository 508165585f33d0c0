#include "analysis/reasons.hpp"

#include <array>

namespace picker::analysis {
namespace {

constexpr std::array<ReasonInfo, static_cast<size_t>(Reason::kCount)> kReasons = {{
    {Reason::kUndecodedInstruction, "undecoded-instruction",
     "an instruction word that picker does not decode", PaperCause::kOther},
    {Reason::kUnmodelledInstruction, "unmodelled-instruction",
     "an instruction whose effect picker does not model", PaperCause::kOther},
    {Reason::kAddressFromMemory, "address-from-memory",
     "an address that depends on memory contents", PaperCause::kNA},
    {Reason::kAddressUnknown, "address-unknown", "an address that the analysis could not follow",
     PaperCause::kNA},
    {Reason::kAddressRangeWraps, "address-range-wraps",
     "an address range that wraps around with these arguments", PaperCause::kRO},
    {Reason::kAddressForm, "address-form", "an address form that picker does not model",
     PaperCause::kNA},
    {Reason::kTripCountUnknown, "trip-count-unknown",
     "a loop whose iterations are not bounded by the arguments", PaperCause::kNC},
    {Reason::kOverlapOfRanges, "overlap-of-ranges",
     "ranges that overlap, without proof that the accesses do", PaperCause::kRO},
    {Reason::kIndeterminateWrites, "indeterminate-writes",
     "indeterminate writes: where the kernel writes may differ from run to run",
     PaperCause::kOther},
    {Reason::kSystemScope, "system-scope-communication",
     "system-scope communication: the kernel may talk to others while it runs", PaperCause::kOther},
    {Reason::kTextureOrSurface, "texture-or-surface",
     "a texture or surface access, whose memory the arguments do not name", PaperCause::kNA},
    {Reason::kIndirectBranch, "indirect-branch", "a branch or call whose target is not known",
     PaperCause::kIF},
    {Reason::kRecursion, "recursion", "a function that may call itself", PaperCause::kIF},
    {Reason::kUnresolvedCall, "unresolved-call", "a call to code that the file does not contain",
     PaperCause::kIF},
    {Reason::kDeviceRuntimeCall, "device-runtime-call",
     "a call into the device runtime (printf, malloc, launch from the device)", PaperCause::kIF},
    {Reason::kControlFlow, "control-flow", "control flow that picker does not follow",
     PaperCause::kPE},
    {Reason::kConvergenceBarrier, "convergence-barrier",
     "a convergence barrier that is not paired in a known way", PaperCause::kPE},
    {Reason::kBudget, "budget", "the analysis budget was spent", PaperCause::kPE},
    {Reason::kSymbolNotPlaced, "symbol-not-placed",
     "symbol not placed: the address of a module global or constant is not known", PaperCause::kNA},
    {Reason::kProgrammaticLaunch, "programmatic-launch",
     "programmatic dependent launch lets the next kernel overlap this one", PaperCause::kOther},
    {Reason::kGridBarrier, "grid-barrier",
     "a cooperative grid barrier works on memory that the driver owns", PaperCause::kOther},
    {Reason::kUnknownAttribute, "unknown-attribute", "a kernel attribute that picker does not know",
     PaperCause::kOther},
    {Reason::kUnknownRelocation, "unknown-relocation", "a relocation that picker does not know",
     PaperCause::kOther},
}};

consteval bool rows_in_order() {
  for (size_t i = 0; i < kReasons.size(); ++i)
    if (kReasons[i].reason != static_cast<Reason>(i)) return false;
  return true;
}
static_assert(rows_in_order());

}  // namespace

const ReasonInfo& reason_info(Reason reason) { return kReasons[static_cast<size_t>(reason)]; }

std::string_view to_string(PaperCause cause) {
  constexpr std::array<std::string_view, 7> kNames = {"NA", "NC", "IF", "PE", "RO", "MO", "other"};
  return kNames[static_cast<size_t>(cause)];
}

}  // namespace picker::analysis
