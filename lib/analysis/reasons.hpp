// Every reason for which a launch may stay `unknown`: one row each in kReasons (reasons.cpp), with
// the sentence that users see, the cause of false negatives of the PICKER paper that it belongs to,
// and a paragraph in docs/reasons.md.
#pragma once

#include <string_view>

#include "support/types.hpp"

namespace picker::analysis {

enum class Reason : u8 {
  kUndecodedInstruction,
  kUnmodelledInstruction,
  kAddressFromMemory,
  kAddressUnknown,
  kAddressRangeWraps,
  kAddressForm,
  kTripCountUnknown,
  kOverlapOfRanges,
  kIndeterminateWrites,
  kSystemScope,
  kTextureOrSurface,
  kIndirectBranch,
  kRecursion,
  kUnresolvedCall,
  kDeviceRuntimeCall,
  kControlFlow,
  kConvergenceBarrier,
  kBudget,
  kSymbolNotPlaced,
  kProgrammaticLaunch,
  kGridBarrier,
  kUnknownAttribute,
  kUnknownRelocation,
  kCount,
};

// The paper's causes of false negatives (arXiv 2410.23661, section 7).
enum class PaperCause : u8 { kNA, kNC, kIF, kPE, kRO, kMO, kOther };

struct ReasonInfo {
  Reason reason;
  std::string_view name;      // stable, machine-readable: "address-from-memory"
  std::string_view sentence;  // what a person reads
  PaperCause cause;
};

// The row of `reason`. Thread-safe; static storage.
[[nodiscard]] const ReasonInfo& reason_info(Reason reason);
[[nodiscard]] std::string_view to_string(PaperCause cause);

}  // namespace picker::analysis
