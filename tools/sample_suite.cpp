#include "tools/sample_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/analyzer.hpp"
#include "tools/selection.hpp"
#include "tools/site_text.hpp"
#include "validate/exact.hpp"
#include "validate/thread_walk.hpp"

namespace picker::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string dimensions(const json& value) {
  return fmt::format("{},{},{}", value[0].get<u32>(), value[1].get<u32>(), value[2].get<u32>());
}

void load_file(const fs::path& path, const std::string& architecture,
               std::vector<SampleLaunch>& out) {
  std::ifstream stream(path);
  const json table = json::parse(stream);
  const std::string sample = table.at("sample");
  const fs::path cubin =
      path.parent_path() / "cubins" / fmt::format("{}.{}.cubin", sample, architecture);
  if (!fs::exists(cubin)) return;
  for (const json& kernel : table.at("kernels"))
    for (const json& entry : kernel.at("launches")) {
      SampleLaunch launch;
      launch.sample = sample;
      launch.kernel = kernel.at("name");
      launch.pattern = table.value("pattern", "");
      launch.name = entry.at("name");
      launch.why = entry.at("why");
      launch.expect_idempotent = entry.at("expect") == "idempotent";
      launch.needs = entry.value("needs", "");
      for (const json& name : kernel.at("parameters")) launch.parameter_names.push_back(name);
      std::string arguments;
      for (const json& argument : entry.at("args")) {
        launch.argument_texts.push_back(argument);
        if (!arguments.empty()) arguments += ",";
        arguments += argument.get<std::string>();
      }
      LaunchOptions& options = launch.options;
      options.file = cubin.string();
      options.kernel = launch.kernel;
      options.grid = dimensions(entry.at("grid"));
      options.block = dimensions(entry.at("block"));
      if (!entry.at("cluster").is_null()) options.cluster = dimensions(entry.at("cluster"));
      options.shared_bytes = entry.at("shared");
      options.arguments = arguments;
      for (const json& text : entry.at("alloc")) options.allocations.push_back(text);
      for (const auto& [name, place] : entry.at("symbols").items())
        options.symbols.push_back(fmt::format("{}={}", name, place.get<std::string>()));
      for (const json& text : entry.at("assume")) options.assumptions.push_back(text);
      out.push_back(std::move(launch));
    }
}

}  // namespace

Expected<std::vector<SampleLaunch>> load_samples(const std::string& folder,
                                                 const std::string& architecture) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error) return malformed(fmt::format("{}: {}", folder, error.message()));
  std::sort(files.begin(), files.end());
  std::vector<SampleLaunch> launches;
  for (const fs::path& file : files) {
    try {
      load_file(file, architecture, launches);
    } catch (const json::exception& problem) {
      return malformed(fmt::format("{}: {}", file.string(), problem.what()));
    }
  }
  return launches;
}

Expected<std::vector<SampleVerdict>> judge_samples(const std::vector<SampleLaunch>& launches) {
  struct Analysed {
    Selection selection;
    analysis::Summary summary;
  };
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Analysed>> kernels;
  std::vector<SampleVerdict> verdicts;
  for (const SampleLaunch& launch : launches) {
    const std::string where = fmt::format("{}: {}: {}", launch.sample, launch.kernel, launch.name);
    auto& analysed = kernels[{launch.options.file, launch.kernel}];
    if (analysed == nullptr) {
      Expected<Selection> selection =
          select_one_kernel(launch.options.file, launch.kernel, std::nullopt);
      if (!selection) return std::unexpected(selection.error().in(where));
      analysed = std::make_unique<Analysed>();
      analysed->selection = std::move(*selection);
      const SelectedKernel& selected = analysed->selection.kernels.front();
      analysed->summary = analysis::analyze(*selected.cubin, *selected.kernel);
    }
    const SelectedKernel& selected = analysed->selection.kernels.front();
    const auto arguments = resolve_launch(launch.options, *selected.kernel);
    if (!arguments) return std::unexpected(arguments.error().in(where));
    const auto concrete =
        make_launch(*selected.cubin, *selected.kernel, analysed->summary, *arguments);
    if (!concrete) return std::unexpected(concrete.error().in(where));
    validate::ThreadWalk walk(*selected.cubin, *selected.kernel, analysed->summary, *concrete);
    SampleVerdict verdict;
    verdict.verdict = validate::validate_exactly(analysed->summary, *concrete, walk);
    if (verdict.verdict.kind == validate::VerdictKind::kUnknown)
      verdict.reason = analysis::reason_info(verdict.verdict.reason).name;
    else if (verdict.verdict.kind == validate::VerdictKind::kConflict)
      verdict.reason = "conflict";
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace picker::tools
