#include "analysis/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "container/constant_bank.hpp"

namespace picker::analysis {
namespace {

constexpr u32 kLongestText = 600;  // characters of one expression; longer ones are cut

// The parameter that holds `bytes` bytes at `offset` of constant bank 0.
const container::Parameter* parameter_at(const container::Kernel& kernel, u64 offset, u32 bytes) {
  for (const container::Parameter& p : kernel.parameters) {
    const u64 begin = u64{kernel.parameter_base} + p.offset;
    if (offset >= begin && offset + bytes <= begin + p.size) return &p;
  }
  return nullptr;
}

// The terms of a sum with their coefficients; a single term for anything else.
std::vector<std::pair<ExprId, u64>> terms_of(const Expressions& e, ExprId id) {
  std::vector<std::pair<ExprId, u64>> terms;
  if (e.node(id).kind != ExprKind::kSum) return {{id, 1}};
  terms.reserve(e.node(id).operand_count);
  for (u32 i = 0; i < e.node(id).operand_count; ++i)
    terms.emplace_back(e.operands(id)[i], e.coefficients(id)[i]);
  return terms;
}

class Writer {
 public:
  Writer(const Summary& summary, const container::Kernel& kernel)
      : summary_(summary), e_(summary.expressions), kernel_(kernel) {}

  std::string text(ExprId id) {
    if (out_of_room_) return "...";
    std::string result = write(id);
    if (result.size() > kLongestText) {
      out_of_room_ = true;
      result.resize(kLongestText);
      result += "...";
    }
    return result;
  }

 private:
  std::string launch_constant(u64 offset, u8 width) {
    const u32 bytes = width / 8u;
    if (const container::Parameter* p = parameter_at(kernel_, offset, bytes)) {
      const u64 inside = offset - kernel_.parameter_base - p->offset;
      return inside == 0 && bytes == p->size
                 ? fmt::format("arg{}", p->ordinal)
                 : fmt::format("arg{}[{}:{}]", p->ordinal, inside, inside + bytes);
    }
    using container::DriverConstant;
    if (const auto* layout = container::constant_bank_layout(kernel_.sm))
      if (const auto* slot = layout->find(offset, bytes)) switch (slot->constant) {
          case DriverConstant::kBlockDimX:
            return "blockDim.x";
          case DriverConstant::kBlockDimY:
            return "blockDim.y";
          case DriverConstant::kBlockDimZ:
            return "blockDim.z";
          case DriverConstant::kGridDimX:
            return "gridDim.x";
          case DriverConstant::kGridDimY:
            return "gridDim.y";
          case DriverConstant::kGridDimZ:
            return "gridDim.z";
          default:
            break;
        }
    return fmt::format("c[0x0][{:#x}]", offset);
  }

  std::string infix(ExprId id, std::string_view op) {
    return fmt::format("({} {} {})", text(e_.operands(id)[0]), op, text(e_.operands(id)[1]));
  }

  std::string negation(ExprId inner) {
    const ExprNode& n = e_.node(inner);
    switch (n.kind) {
      case ExprKind::kLessSigned:
      case ExprKind::kLessUnsigned:
        return infix(inner, ">=");
      case ExprKind::kEqual:
        return infix(inner, "!=");
      default:
        return fmt::format("!{}", text(inner));
    }
  }

  std::string write(ExprId id) {
    const ExprNode& n = e_.node(id);
    switch (n.kind) {
      case ExprKind::kLaunchConstant:
        return launch_constant(n.payload, n.width);
      case ExprKind::kSymbolAddress:
        return "&" + summary_.symbols[n.payload].name;
      case ExprKind::kOpaque: {
        switch (e_.opaque(n.payload).cause) {
          case OpaqueCause::kGlobalLoad:
            return "loaded";
          case OpaqueCause::kSharedLoad:
            return "shared";
          case OpaqueCause::kLocalLoad:
            return "local";
          case OpaqueCause::kConstantLoad:
            return "constant";
          case OpaqueCause::kAtomicResult:
            return "atomic result";
          case OpaqueCause::kWarpValue:
            return "warp value";
          case OpaqueCause::kClock:
            return "clock or id";
          case OpaqueCause::kDriverConstant:
            return "driver constant";
          case OpaqueCause::kUninitialised:
            return "uninitialised";
          default:
            return fmt::format("unknown{}", n.payload);
        }
      }
      case ExprKind::kIteration:
        return fmt::format("k{}", n.payload);
      case ExprKind::kSum: {
        std::string out = "(";
        for (const auto& [term, coefficient] : terms_of(e_, id)) {
          const u64 all = n.width >= 64 ? ~u64{0} : (u64{1} << n.width) - 1;
          const u64 minus = (0 - coefficient) & all;
          const bool negative = minus < coefficient;
          const u64 size = negative ? minus : coefficient;
          out += out.size() == 1 ? (negative ? "-" : "") : (negative ? " - " : " + ");
          if (size != 1) out += fmt::format("{}*", size);
          out += text(term);
        }
        if (n.payload != 0) {
          const u64 all = n.width >= 64 ? ~u64{0} : (u64{1} << n.width) - 1;
          const u64 minus = (0 - n.payload) & all;
          out += minus < n.payload ? fmt::format(" - {}", minus) : fmt::format(" + {}", n.payload);
        }
        return out + ")";
      }
      case ExprKind::kZeroExtend:
      case ExprKind::kSignExtend:
        return text(e_.operands(id)[0]);
      case ExprKind::kExtract:
        return n.payload == 0 ? text(e_.operands(id)[0])
                              : fmt::format("({} >> {})", text(e_.operands(id)[0]), n.payload);
      case ExprKind::kProduct:
        return infix(id, "*");
      case ExprKind::kXor:
        if (n.width == 1 && e_.is_constant(e_.operands(id)[0], 1))
          return negation(e_.operands(id)[1]);
        if (n.width == 1 && e_.is_constant(e_.operands(id)[1], 1))
          return negation(e_.operands(id)[0]);
        return infix(id, "^");
      case ExprKind::kAnd:
        return infix(id, n.width == 1 ? "and" : "&");
      case ExprKind::kOr:
        return infix(id, n.width == 1 ? "or" : "|");
      case ExprKind::kShiftLeft:
        return infix(id, "<<");
      case ExprKind::kShiftRight:
      case ExprKind::kShiftRightSigned:
        return infix(id, ">>");
      case ExprKind::kDivide:
        return infix(id, "/");
      case ExprKind::kRemainder:
        return infix(id, "%");
      case ExprKind::kEqual:
        return infix(id, "==");
      case ExprKind::kLessUnsigned:
      case ExprKind::kLessSigned:
        return infix(id, "<");
      case ExprKind::kSelect:
        return fmt::format("({} ? {} : {})", text(e_.operands(id)[0]), text(e_.operands(id)[1]),
                           text(e_.operands(id)[2]));
      default:
        return e_.to_string(id);
    }
  }

  const Summary& summary_;
  const Expressions& e_;
  const container::Kernel& kernel_;
  bool out_of_room_ = false;
};

}  // namespace

std::optional<PointerArgument> pointer_argument(const Expressions& e, ExprId address,
                                                const container::Kernel& kernel) {
  std::optional<PointerArgument> found;
  for (const auto& [term, coefficient] : terms_of(e, address)) {
    const ExprNode& n = e.node(term);
    if (n.kind != ExprKind::kLaunchConstant || n.width != 64 || coefficient != 1) continue;
    const container::Parameter* p = parameter_at(kernel, n.payload, 8);
    if (p == nullptr) continue;
    if (found) return std::nullopt;
    found = PointerArgument{
        p->ordinal, static_cast<u32>(n.payload - kernel.parameter_base - p->offset), p->size};
  }
  return found;
}

std::string base_name(const Summary& summary, ExprId address, const container::Kernel& kernel) {
  const Expressions& e = summary.expressions;
  if (const auto argument = pointer_argument(e, address, kernel))
    return argument->parameter_size == 8
               ? fmt::format("argument {}", argument->ordinal)
               : fmt::format("argument {} (byte {})", argument->ordinal, argument->offset);
  for (const auto& [term, coefficient] : terms_of(e, address))
    if (e.node(term).kind == ExprKind::kSymbolAddress && coefficient == 1) {
      const ModuleSymbol& symbol = summary.symbols[e.node(term).payload];
      return symbol.constant_bank ? "constant memory" : symbol.name;
    }
  if (e.node(address).kind == ExprKind::kSelect) {
    const std::string a = base_name(summary, e.operands(address)[1], kernel);
    const std::string b = base_name(summary, e.operands(address)[2], kernel);
    return a == b ? a : fmt::format("{} or {}", a, b);
  }
  return "an address that no argument names";
}

std::string to_words(const Summary& summary, ExprId id, const container::Kernel& kernel) {
  return Writer(summary, kernel).text(id);
}

std::vector<std::string> condition_in_words(const Summary& summary,
                                            const container::Kernel& kernel) {
  std::set<std::string> reads, writes;
  for (const AccessSite& site : summary.sites) {
    if (site.shielded) continue;
    const std::string name = base_name(summary, site.address, kernel);
    if (site.kind != AccessKind::kWrite) reads.insert(name);
    if (site.kind != AccessKind::kRead) writes.insert(name);
  }
  std::vector<std::string> lines;
  for (const std::string& w : writes)
    for (const std::string& r : reads)
      lines.push_back(w == r
                          ? fmt::format("what it writes through {} is not what it reads there", w)
                          : fmt::format("what it writes through {} does not overlap what it "
                                        "reads through {}",
                                        w, r));
  return lines;
}

}  // namespace picker::analysis
