#include "emulator/warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sass/special_registers.hpp"
#include "semantics/execute.hpp"
#include "semantics/warp.hpp"

namespace picker::emulator {

using semantics::Class;

Warp::Warp(Shared& shared, BlockState& block, u32 first_thread)
    : shared_(shared), block_(block), first_thread_(first_thread) {
  const u32 count = std::min(kWarpSize, block.thread_count - first_thread);
  exist_ = count == kWarpSize ? ~u32{0} : (u32{1} << count) - 1;
  lane_pc_.fill(shared.program.kernel().entry_offset);
  for (auto& p : participants_) p.lane.fill(0);
  for (auto& t : sync_target_) t.lane.fill(0);
  Random random = random_for(shared.options.seed, 1, block.linear * 32 + first_thread / kWarpSize);
  regs_.resize(256);
  for (u32 n = 0; n < shared.program.register_count(); ++n)
    for (u32 i = 0; i < kWarpSize; i += 2) {
      const u64 x = random.next();
      regs_[n][i] = static_cast<u32>(x);
      regs_[n][i + 1] = static_cast<u32>(x >> 32);
    }
  for (u32& r : uregs_) r = static_cast<u32>(random.next());
  for (LaneMask& p : preds_) p.bits = static_cast<u32>(random.next());
  for (bool& p : upreds_) p = (random.next() & 1) != 0;
}

// Most kernels have no local memory, and its random contents take longer to make than a short
// kernel to run.
void Warp::make_local_memory() {
  Random random =
      random_for(shared_.options.seed, 7, block_.linear * 32 + first_thread_ / kWarpSize);
  local_.resize(size_t{kWarpSize} * shared_.local_bytes);
  for (size_t i = 0; i + 8 <= local_.size(); i += 8) {
    const u64 x = random.next();
    std::memcpy(local_.data() + i, &x, 8);
  }
}

bool Warp::step() {
  if (choose_) choose_group();
  if (active_ == 0) return false;
  const u64 next = pc_ + sass::kInstructionBytes;
  const ProgramInstruction* p = shared_.program.at(pc_);
  if (p == nullptr || !p->in.known()) {
    guard_.bits = active_;
    stop(End::kUnmodelled, p == nullptr ? "runs outside its code" : "unknown instruction");
    return true;
  }
  current_ = p;
  const Instruction& in = p->in;
  LaneMask guard = in.guard_uniform ? upred(in.guard) : pred(in.guard);
  if (in.guard_negated) guard.bits = ~guard.bits;
  guard_.bits = guard.bits & active_;
  const u32 group = active_;
  switch (p->what) {
    case Class::kData:
    case Class::kMemory:
      if (guard_.bits != 0) {
        if (p->understood)
          semantics::execute_understood(*this, in);
        else
          unmodelled(in);
      }
      pc_ = next;
      break;
    case Class::kControl:
      control(*p, next);
      break;
    case Class::kNothing:
      nothing(*p, next);
      break;
    case Class::kBlockBarrier:
      block_barrier(*p, next);
      break;
    case Class::kEffect:
      if (guard_.bits != 0) effect(*p);
      pc_ = next;
      break;
  }
  // Others may have to run: look again.
  if (active_ != group || (runnable() & ~active_) != 0) choose_ = true;
  return true;
}

std::optional<u32> Warp::known(const Word& a) const {
  if (guard_.bits == 0) return a[0];
  const u32 x = a[lowest(guard_.bits)];
  for (u32 i = 0; i < kWarpSize; ++i)
    if (guard_[i] && a[i] != x) return std::nullopt;
  return x;
}

std::string Warp::thread_text(u32 lane) const {
  const u32 t = first_thread_ + lane;
  const auto& n = shared_.launch.block;
  return fmt::format("block ({},{},{}), thread ({},{},{})", block_.index[0], block_.index[1],
                     block_.index[2], t % n[0], t / n[0] % n[1], t / n[0] / n[1]);
}

std::string Warp::where() const {
  const u32 waiting = exist_ & ~exited_;
  if (waiting == 0) return {};
  const u32 lane = lowest(waiting);
  const u64 at = (active_ >> lane & 1) != 0 ? pc_ : lane_pc_[lane];
  return fmt::format("{} at {}", thread_text(lane), shared_.program.describe(static_cast<u32>(at)));
}

void Warp::stop(End end, std::string message, u32 lane) {
  if (shared_.outcome) return;
  Outcome outcome;
  outcome.end = end;
  outcome.code_offset = static_cast<u32>(pc_);
  outcome.message =
      fmt::format("kernel {}, {}, at {}: {}", shared_.program.kernel().name, thread_text(lane),
                  shared_.program.describe(static_cast<u32>(pc_)), message);
  shared_.outcome = std::move(outcome);
}

void Warp::unmodelled(const Instruction& in) {
  stop(End::kUnmodelled,
       fmt::format("{} in this form is not modelled", sass::to_string(in.opcode)));
}

void Warp::unmodelled_flag(const Instruction& in, const Operand&) {
  stop(End::kUnmodelled,
       fmt::format("this predicate result of {} is not modelled", sass::to_string(in.opcode)));
}

void Warp::warp_value(const Instruction& in) {
  if (!semantics::exchange(*this, in)) unmodelled(in);
}

Warp::Word Warp::any_lane(const Instruction&, const Word& x) {
  if (guard_.bits == 0) return word(0);
  u32 lane = lowest(guard_.bits);
  if (shared_.options.random_schedule) {
    u32 skip =
        static_cast<u32>(shared_.random.below(static_cast<u32>(__builtin_popcount(guard_.bits))));
    u32 bits = guard_.bits;
    for (; skip != 0; --skip) bits &= bits - 1;
    lane = lowest(bits);
  }
  return word(x[lane]);
}

Warp::Word Warp::special_register(const Instruction& in, u32 number, u32 index) {
  using sass::SpecialRegister;
  const auto& n = shared_.launch.block;
  const auto thread_axis = [&](u32 axis) {
    Word w;
    for (u32 i = 0; i < kWarpSize; ++i) {
      const u32 t = first_thread_ + i;
      w[i] = axis == 0 ? t % n[0] : axis == 1 ? t / n[0] % n[1] : t / n[0] / n[1];
    }
    return w;
  };
  const auto lanes = [&](auto f) {
    Word w;
    for (u32 i = 0; i < kWarpSize; ++i) w[i] = static_cast<u32>(f(i));
    return w;
  };
  constexpr u32 kVirtualSm = 67, kTimerLow = 82, kTimerHigh = 83, kClusterSize = 138;
  if (number == static_cast<u32>(SpecialRegister::kZero)) return word(0);
  if (number == static_cast<u32>(SpecialRegister::kClusterBlock)) return word(block_.cluster_rank);
  // Only seen as the step by which compilers index the driver's constants: see make_constant0.
  if (number == kClusterSize) return word(0);
  if (number == static_cast<u32>(SpecialRegister::kLocalWindowHigh))
    return word(static_cast<u32>(kLocalWindow >> 32));
  if (number == static_cast<u32>(SpecialRegister::kSharedWindowHigh))
    return word(static_cast<u32>(kSharedWindow >> 32));
  const auto clock_word = [&](bool upper) {
    if (index == 0) shared_.clock += 1 + shared_.clock_random.below(97);
    return word(static_cast<u32>(upper ? shared_.clock >> 32 : shared_.clock));
  };
  switch (number) {
    case static_cast<u32>(SpecialRegister::kClockLow):
    case kTimerLow:
      if (index <= 1) return clock_word(index == 1);
      break;
    case static_cast<u32>(SpecialRegister::kClockHigh):
    case kTimerHigh:
      if (index == 0) return clock_word(true);
      break;
    default:
      break;
  }
  if (index == 0) switch (number) {
      case static_cast<u32>(SpecialRegister::kLaneId):
        return lanes([](u32 i) { return i; });
      case static_cast<u32>(SpecialRegister::kVirtualId):
      case kVirtualSm:
        return word(block_.sm);
      case static_cast<u32>(SpecialRegister::kThreadIdX):
        return thread_axis(0);
      case static_cast<u32>(SpecialRegister::kThreadIdY):
        return thread_axis(1);
      case static_cast<u32>(SpecialRegister::kThreadIdZ):
        return thread_axis(2);
      case static_cast<u32>(SpecialRegister::kBlockIdX):
        return word(block_.index[0]);
      case static_cast<u32>(SpecialRegister::kBlockIdY):
        return word(block_.index[1]);
      case static_cast<u32>(SpecialRegister::kBlockIdZ):
        return word(block_.index[2]);
      case static_cast<u32>(SpecialRegister::kEqualMask):
        return lanes([](u32 i) { return u32{1} << i; });
      case static_cast<u32>(SpecialRegister::kLessThanMask):
        return lanes([](u32 i) { return (u32{1} << i) - 1; });
      case static_cast<u32>(SpecialRegister::kLessEqualMask):
        return lanes([](u32 i) { return (u32{2} << i) - 1; });
      case static_cast<u32>(SpecialRegister::kGreaterThanMask):
        return lanes([](u32 i) { return ~((u32{2} << i) - 1); });
      case static_cast<u32>(SpecialRegister::kGreaterEqualMask):
        return lanes([](u32 i) { return ~((u32{1} << i) - 1); });
      default:
        break;
    }
  stop(End::kUnmodelled, fmt::format("special register {} ({}) is not modelled",
                                     sass::special_register_name(number), number));
  (void)in;
  return word(0);
}

Warp::Word Warp::constant_at(u8 bank, const Word& offset, u32 bytes) {
  const auto from = [&](const std::vector<u8>& content) {
    Word out = word(0);
    const auto read = [&](u32 lane, u32 at) {
      if (u64{at} + bytes > content.size()) {
        stop(End::kUnmodelled,
             fmt::format("reads c[{:#x}][{:#x}], beyond the bank's {} bytes", bank, at,
                         content.size()),
             lane);
        return u32{0};
      }
      u32 x = 0;
      std::memcpy(&x, content.data() + at, bytes);
      return x;
    };
    if (const std::optional<u32> same = known(offset))
      return word(read(guard_.bits == 0 ? 0 : lowest(guard_.bits), *same));
    for (u32 i = 0; i < kWarpSize; ++i)
      if (guard_[i]) out[i] = read(i, offset[i]);
    return out;
  };
  switch (bank) {
    case 0:
      return from(shared_.constant0);
    case 2:
      return from(shared_.program.constant2());
    case 4:
      return from(shared_.program.constant4());
    case 3: {
      // User constants live in global memory; reading them is an access like any other.
      Reference ref;
      ref.space = semantics::Space::kGlobal;
      ref.bytes = bytes;
      u32 lanes = 0;
      for (u32 i = 0; i < kWarpSize; ++i) {
        ref.address[i] = shared_.program.constant3_address() + offset[i];
        if (!guard_[i]) continue;
        if (u64{offset[i]} + bytes > shared_.program.constant3_size()) {
          stop(End::kUnmodelled, fmt::format("reads c[0x3][{:#x}], beyond the bank", offset[i]), i);
          return word(0);
        }
        lanes |= u32{1} << i;
      }
      AccessData data;
      data.words[0] = word(0);
      (void)global_access(ref, lanes, ref.address, true, false, data, nullptr);
      return data.words[0];
    }
    default:
      stop(End::kUnmodelled, fmt::format("constant bank {} is not modelled", bank));
      return word(0);
  }
}

}  // namespace picker::emulator
