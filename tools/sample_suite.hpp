// The launches of samples/ with their stated truth, and picker's verdicts on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.hpp"
#include "tools/launch_arguments.hpp"
#include "validate/verdict.hpp"

namespace picker::tools {

struct SampleLaunch {
  std::string sample;  // vadd
  std::string kernel;
  std::string name;  // "c one byte closer"
  std::string pattern;
  std::string why;  // the reason of the truth
  std::vector<std::string> parameter_names;
  std::vector<std::string> argument_texts;
  bool expect_idempotent = false;  // the truth by the soundness contract
  std::string needs;               // "memory" and the like; empty: arguments alone decide
  LaunchOptions options;           // with the cubin's path
};

struct SampleVerdict {
  validate::Verdict verdict;
  std::string reason;  // name of the reason; empty if idempotent
};

// All launches in `folder`/*.json for which a cubin of `architecture` exists, in a stable order.
// Errors: kMalformed, naming the file.
[[nodiscard]] Expected<std::vector<SampleLaunch>> load_samples(const std::string& folder,
                                                               const std::string& architecture);

// Verdicts of all launches, in order; each kernel is analysed once. Errors: those of reading a
// cubin or of a launch that the driver would refuse.
[[nodiscard]] Expected<std::vector<SampleVerdict>> judge_samples(
    const std::vector<SampleLaunch>& launches);

}  // namespace picker::tools
