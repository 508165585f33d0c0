#include "sass/rows.hpp"

namespace picker::sass {
namespace {
#include "sass/table_data.inc"
}  // namespace

std::span<const Row> rows() { return kRows; }

std::span<const OperandSpec> operands_of(const Row& row) {
  return {kOperandSpecs + row.operand_first, row.operand_count};
}

std::span<const ModifierSpec> modifiers_of(const Row& row) {
  return {kModifierSpecs + row.modifier_first, row.modifier_count};
}

std::span<const Forbidden> forbidden_of(const Row& row) {
  return {kForbidden + row.forbidden_first, row.forbidden_count};
}

std::string_view literal_text(u8 index) { return kLiterals[index]; }

u16 list_entry(const ModifierSpec& spec, u32 key) {
  return kValueLists[spec.list + key * spec.columns + spec.column];
}

const ModifierSpec& count_spec(u16 index) { return kCountSpecs[index]; }

std::span<const u16> candidates(u32 family, u32 op13) {
  const IndexEntry entry = kIndex[family][op13];
  return {kCandidates + entry.first, entry.count};
}

}  // namespace picker::sass
