#include "validate/concrete.hpp"

#include <algorithm>

namespace picker::validate {

using analysis::ExprId;
using analysis::ExprKind;
using analysis::ExprNode;

namespace {

// Deeper expressions count as unknown rather than exhausting the stack.
constexpr u32 kMaxDepth = 4000;

u64 ones(u32 width) { return width >= 64 ? ~u64{0} : (u64{1} << width) - 1; }

i64 as_signed(u64 value, u32 width) {
  const u32 unused = 64 - width;
  return static_cast<i64>(value << unused) >> unused;
}

}  // namespace

std::optional<u64> ConcreteEvaluator::value(ExprId id) {
  if (memo_.size() < expressions_.size()) memo_.resize(expressions_.size());
  if (memo_[id].epoch == epoch_) return memo_[id].value;
  if (depth_ >= kMaxDepth) return std::nullopt;
  ++depth_;
  std::optional<u64> result = compute(id);
  --depth_;
  if (result) *result &= ones(expressions_.width(id));
  memo_[id] = {epoch_, result};
  return result;
}

std::optional<u64> ConcreteEvaluator::compute(ExprId id) {
  const ExprNode& node = expressions_.node(id);
  const auto operands = expressions_.operands(id);
  switch (node.kind) {
    case ExprKind::kConstant:
      return node.payload;
    case ExprKind::kLaunchConstant:
      if (node.width % 8 != 0) return std::nullopt;
      return launch_->constant_bank.read(node.payload, node.width / 8);
    case ExprKind::kSymbolAddress:
      return launch_->symbol(node.payload);
    case ExprKind::kThreadIndex:
      if (node.payload > 2) return std::nullopt;
      return moment_->thread[node.payload];
    case ExprKind::kBlockIndex:
      if (node.payload > 2) return std::nullopt;
      return moment_->block[node.payload];
    case ExprKind::kIteration:
      if (node.payload >= moment_->iterations.size()) return std::nullopt;
      return moment_->iterations[node.payload];
    case ExprKind::kOpaque:
      if (node.payload >= moment_->opaques.size()) return std::nullopt;
      return moment_->opaques[node.payload];
    case ExprKind::kSelect: {
      const std::optional<u64> condition = value(operands[0]);
      if (!condition) return std::nullopt;
      return value(operands[*condition != 0 ? 1 : 2]);
    }
    case ExprKind::kSum: {
      u64 sum = node.payload;
      const auto coefficients = expressions_.coefficients(id);
      for (u32 i = 0; i < node.operand_count; ++i) {
        const std::optional<u64> operand = value(operands[i]);
        if (!operand) return std::nullopt;
        sum += coefficients[i] * *operand;
      }
      return sum;
    }
    default:
      break;
  }
  std::array<u64, 3> v{};
  if (operands.empty() || operands.size() > v.size()) return std::nullopt;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::optional<u64> operand = value(operands[i]);
    // A conjunction with something false is false, a disjunction with something true is true.
    if (!operand) {
      const bool is_and = node.kind == ExprKind::kAnd;
      if (!is_and && node.kind != ExprKind::kOr) return std::nullopt;
      const std::optional<u64> other = value(operands[operands.size() - 1 - i]);
      if (!other || operands.size() != 2) return std::nullopt;
      if (is_and && *other == 0) return 0;
      if (!is_and && *other == ones(node.width)) return ones(node.width);
      return std::nullopt;
    }
    v[i] = *operand;
  }
  const u32 width = expressions_.width(operands[0]);
  const i64 s0 = as_signed(v[0], width);
  const i64 s1 = as_signed(v[1], width);
  switch (node.kind) {
    case ExprKind::kProduct:
      return v[0] * v[1];
    case ExprKind::kAnd:
      return v[0] & v[1];
    case ExprKind::kOr:
      return v[0] | v[1];
    case ExprKind::kXor:
      return v[0] ^ v[1];
    case ExprKind::kShiftLeft:
      return v[1] >= width ? 0 : v[0] << v[1];
    case ExprKind::kShiftRight:
      return v[1] >= width ? 0 : v[0] >> v[1];
    case ExprKind::kShiftRightSigned:
      return static_cast<u64>(s0 >> std::min<u64>(v[1], width - 1));
    case ExprKind::kDivide:
      if (v[1] == 0) return std::nullopt;
      return v[0] / v[1];
    case ExprKind::kRemainder:
      if (v[1] == 0) return std::nullopt;
      return v[0] % v[1];
    case ExprKind::kMinUnsigned:
      return std::min(v[0], v[1]);
    case ExprKind::kMaxUnsigned:
      return std::max(v[0], v[1]);
    case ExprKind::kMinSigned:
      return s0 < s1 ? v[0] : v[1];
    case ExprKind::kMaxSigned:
      return s0 < s1 ? v[1] : v[0];
    case ExprKind::kZeroExtend:
      return v[0];
    case ExprKind::kSignExtend:
      return static_cast<u64>(s0);
    case ExprKind::kExtract:
      return node.payload >= 64 ? 0 : v[0] >> node.payload;
    case ExprKind::kEqual:
      return v[0] == v[1] ? 1 : 0;
    case ExprKind::kLessUnsigned:
      return v[0] < v[1] ? 1 : 0;
    case ExprKind::kLessSigned:
      return s0 < s1 ? 1 : 0;
    case ExprKind::kCarry:
      return static_cast<u64>((static_cast<u128>(v[0]) + v[1] + v[2]) >> width) & 1;
    default:
      return std::nullopt;
  }
}

}  // namespace picker::validate
