// Where the lanes of a warp go: branches, calls, convergence, barriers, exits.
#include <fmt/format.h>

#include "emulator/warp.hpp"
#include "semantics/operands.hpp"
#include "semantics/understood.hpp"

namespace picker::emulator {

using sass::Field;
using sass::Opcode;
using sass::OperandKind;
using sass::Role;
using sass::Value;
using semantics::Control;
using semantics::ControlKind;

namespace {

// Instructions after which a group that keeps others from running is set aside.
constexpr u32 kFairTurns = 2048;

}  // namespace

void Warp::park() {
  for_each_lane(active_, [&](u32 lane) { lane_pc_[lane] = pc_; });
}

void Warp::move_lanes(u32 lanes, u64 to) {
  for_each_lane(lanes, [&](u32 lane) { lane_pc_[lane] = to; });
}

void Warp::choose_group() {
  choose_ = false;
  const u32 before = active_;
  park();
  const u32 ready = runnable();
  if (ready == 0) {
    active_ = 0;
    turns_ = 0;
    return;
  }
  u64 at = 0;
  const bool stays = (before & ready) != 0 && (before & ~ready) == 0;
  if (shared_.options.random_schedule) {
    if (stays && shared_.random.below(16) != 0) {
      active_ = before;
      return;  // pc_ is theirs; others who stand there too may join later, or never
    }
    u32 bits = ready;
    for (u32 skip =
             static_cast<u32>(shared_.random.below(static_cast<u32>(__builtin_popcount(ready))));
         skip != 0; --skip)
      bits &= bits - 1;
    at = lane_pc_[lowest(bits)];
  } else {
    at = ~u64{0};
    for_each_lane(ready, [&](u32 lane) { at = std::min(at, lane_pc_[lane]); });
    // A group that spins at a low address must not keep the one it waits for from running.
    if (++turns_ % (2 * kFairTurns) >= kFairTurns) {
      u64 other = ~u64{0};
      for_each_lane(ready, [&](u32 lane) {
        if (lane_pc_[lane] != at) other = std::min(other, lane_pc_[lane]);
      });
      if (other != ~u64{0}) at = other;
    }
  }
  active_ = 0;
  for_each_lane(ready, [&](u32 lane) {
    if (lane_pc_[lane] == at) active_ |= u32{1} << lane;
  });
  pc_ = at;
}

void Warp::split(u32 taken, u64 target, u64 next) {
  const u32 rest = active_ & ~taken;
  if (rest == 0) {
    pc_ = target;
  } else if (taken == 0) {
    pc_ = next;
  } else {
    move_lanes(taken, target);
    move_lanes(rest, next);
    active_ = 0;  // whoever goes on is chosen anew
    choose_ = true;
  }
}

void Warp::call_address(u64 address, u32 lanes, u64 next) {
  (void)next;
  if (address >= kCodeBase && address - kCodeBase < shared_.program.kernel().code.size()) {
    move_lanes(lanes, address - kCodeBase);
    return;
  }
  const std::string name = shared_.program.foreign_function(address);
  if (name.empty())
    return stop(End::kUnmodelled, fmt::format("calls {:#x}, outside its code", address),
                lowest(lanes));
  for_each_lane(lanes, [&](u32 lane) {
    if (!shared_.outcome) call_system(name, lane);
  });
}

void Warp::control(const ProgramInstruction& p, u64 next) {
  const Instruction& in = p.in;
  const Control& c = p.control;
  const LaneMask condition = semantics::read_flag(*this, c.condition);
  u32 taken = guard_.bits & condition.bits;
  const auto unsupported_here = [&](std::string_view what) {
    if (taken != 0) stop(End::kUnmodelled, std::string(what));
    pc_ = next;
  };
  // Indirect transfers: every lane has a target of its own.
  const auto go_to = [&](auto target_of) {
    park();
    move_lanes(active_ & ~taken, next);
    for_each_lane(taken, [&](u32 lane) {
      const u64 to = target_of(lane);
      if (shared_.program.at(to) == nullptr)
        stop(End::kUnmodelled, fmt::format("goes to {:#x}, outside its code", to), lane);
      lane_pc_[lane] = to;
    });
    active_ = 0;
    choose_ = true;
  };
  switch (c.kind) {
    case ControlKind::kNext:
      pc_ = next;
      return;
    case ControlKind::kBranch:
    case ControlKind::kCall:
      return split(taken, c.target, next);
    case ControlKind::kUnmodelled:
      if (in.opcode == Opcode::kBRA && in.has(Field::kDivergence, Value::kANY)) {
        // Uniform: if the predicate holds for one lane, all go.
        return split(taken != 0 ? active_ : 0, c.target, next);
      }
      if (in.opcode == Opcode::kBRA &&
          (in.has(Field::kDivergence, Value::kDIV) || in.has(Field::kDivergence, Value::kCONV))) {
        // Taken if the warp is not together: the lanes named by the mask (all, without one) are not
        // all here.
        const Operand* a = in.find(Role::kA);
        u32 mask = ~u32{0};
        if (a != nullptr) {
          if (a->kind != sass::OperandKind::kUniformRegister)
            return unsupported_here("this transfer of control is not modelled");
          mask = a->reg == sass::kURZ ? 0 : uregs_[a->reg];
          if (a->invert) mask = ~mask;
        }
        const bool together = (mask & exist_ & ~exited_ & ~active_) == 0;
        const bool wanted = in.has(Field::kDivergence, Value::kDIV) ? !together : together;
        return split(wanted ? taken : 0, c.target, next);
      }
      return unsupported_here("this transfer of control is not modelled");
    case ControlKind::kIndirectBranch: {
      const Operand *a = in.find(Role::kA), *target = in.find(Role::kTarget);
      if (a == nullptr) return unsupported_here("this transfer of control is not modelled");
      const Wide base = semantics::read_wide(*this, *a);
      const u64 offset = next + (target != nullptr ? static_cast<u64>(target->value) : 0);
      return go_to([&](u32 lane) { return base[lane] + offset; });
    }
    case ControlKind::kIndirectCall: {
      const Operand* a = in.find(Role::kA);
      if (taken == 0) return split(0, 0, next);
      if (a == nullptr) {  // CALL.ABS to an address in the instruction
        park();
        move_lanes(active_ & ~taken, next);
        call_address(c.target, taken, next);
        active_ = 0;
        choose_ = true;
        return;
      }
      const Wide base = semantics::read_wide(*this, *a);
      if (in.has(Field::kCallMode, Value::kREL))
        return go_to([&](u32 lane) { return base[lane] + c.target; });
      park();
      move_lanes(active_ & ~taken, next);
      for_each_lane(taken, [&](u32 lane) { call_address(base[lane], u32{1} << lane, next); });
      active_ = 0;
      choose_ = true;
      return;
    }
    case ControlKind::kReturn: {
      const Wide base = semantics::read_wide(*this, *in.find(Role::kA));
      if (in.has(Field::kCallMode, Value::kREL))
        return go_to([&](u32 lane) { return base[lane] + c.target; });
      return go_to([&](u32 lane) { return base[lane] - kCodeBase + c.target; });
    }
    case ControlKind::kExit:
      if (taken == active_) {
        exit_lanes(taken);
      } else {
        const u32 rest = active_ & ~taken;
        exit_lanes(taken);
        active_ = rest;
        pc_ = next;
      }
      return;
    case ControlKind::kTrap:
      if (taken != 0) stop(End::kFault, "trap");
      pc_ = next;
      return;
    case ControlKind::kBarrierSet: {
      const u8 b = in.find(Role::kBarrier)->reg;
      if (b >= kConvergenceBarriers) return unsupported_here("no such convergence barrier");
      for_each_lane(taken, [&](u32 lane) {
        participants_[b][lane] = taken;
        sync_target_[b][lane] = static_cast<u32>(c.target);
      });
      pc_ = next;
      return;
    }
    case ControlKind::kBarrierSync: {
      const u8 b = in.find(Role::kBarrier)->reg;
      if (b >= kConvergenceBarriers) return unsupported_here("no such convergence barrier");
      park();
      move_lanes(active_ & ~taken, next);
      for_each_lane(taken, [&](u32 lane) {
        const u32 target = sync_target_[b][lane];
        const bool member = (participants_[b][lane] >> lane & 1) != 0;
        if (member && target != 0 && target != pc_ && target != next)
          stop(End::kUnmodelled, fmt::format("BSYNC far from {:#x}, where its BSSY points", target),
               lane);
        if (!member) {  // left by BREAK, or never entered
          lane_pc_[lane] = next;
          return;
        }
        at_sync_ |= u32{1} << lane;
        sync_barrier_[lane] = b;
      });
      active_ = 0;
      choose_ = true;
      return release_syncs();
    }
    case ControlKind::kBarrierBreak: {
      const u8 b = in.find(Role::kBarrier)->reg;
      if (b >= kConvergenceBarriers) return unsupported_here("no such convergence barrier");
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        if ((participants_[b][lane] & taken) != 0) participants_[b][lane] &= ~taken;
      for_each_lane(taken, [&](u32 lane) { participants_[b][lane] = 0; });
      pc_ = next;
      return release_syncs();
    }
  }
}

void Warp::exit_lanes(u32 lanes) {
  if (lanes == 0) return;
  if (shared_.options.recorder != nullptr) shared_.options.recorder->exit(id());
  park();
  exited_ |= lanes;
  active_ &= ~lanes;
  choose_ = true;
  block_.live_threads -= static_cast<u32>(__builtin_popcount(lanes));
  leave_cluster(lanes);
  block_.check_barriers = true;
  release_syncs();
  release_warp_syncs();
}

void Warp::release_syncs() {
  for (bool again = at_sync_ != 0; again;) {
    again = false;
    for_each_lane(at_sync_, [&](u32 lane) {
      if ((at_sync_ >> lane & 1) == 0) return;
      const u8 b = sync_barrier_[lane];
      const u32 wanted = participants_[b][lane] & exist_ & ~exited_;
      u32 here = 0;
      for_each_lane(wanted & at_sync_, [&](u32 other) {
        if (sync_barrier_[other] == b) here |= u32{1} << other;
      });
      if (here != wanted) return;
      at_sync_ &= ~wanted;
      for_each_lane(wanted, [&](u32 other) { lane_pc_[other] += sass::kInstructionBytes; });
      again = at_sync_ != 0;
      choose_ = true;
    });
  }
}

void Warp::release_warp_syncs() {
  for (bool again = at_warp_sync_ != 0; again;) {
    again = false;
    for_each_lane(at_warp_sync_, [&](u32 lane) {
      if ((at_warp_sync_ >> lane & 1) == 0) return;
      const u32 wanted = warp_sync_mask_[lane] & exist_ & ~exited_;
      if ((wanted & ~at_warp_sync_) != 0) return;
      const u32 released = wanted | (u32{1} << lane);
      at_warp_sync_ &= ~released;
      for_each_lane(released, [&](u32 other) { lane_pc_[other] += sass::kInstructionBytes; });
      again = at_warp_sync_ != 0;
      choose_ = true;
    });
  }
}

void Warp::nothing(const ProgramInstruction& p, u64 next) {
  const Instruction& in = p.in;
  if (in.opcode == Opcode::kYIELD) choose_ = true;
  if (in.opcode == Opcode::kBMOV) effect(p);
  const bool fences = in.opcode == Opcode::kMEMBAR || in.opcode == Opcode::kFENCE;
  if (fences && shared_.options.recorder != nullptr) shared_.options.recorder->may_order(id());
  const u32 taken = guard_.bits & semantics::read_flag(*this, in.find(Role::kPSrc)).bits;
  if (in.opcode != Opcode::kWARPSYNC || taken == 0) {
    pc_ = next;
    return;
  }
  const Operand* mask = in.find(Role::kA);
  const bool all = mask == nullptr && in.has(Field::kSpecial2, Value::kALL);
  if ((mask == nullptr && !all) || !semantics::plain(in, Field::kExclusive)) return unmodelled(in);
  const Word masks = all ? word(~u32{0}) : semantics::read_raw_word(*this, *mask);
  park();
  move_lanes(active_ & ~taken, next);
  for_each_lane(taken, [&](u32 lane) {
    at_warp_sync_ |= u32{1} << lane;
    warp_sync_mask_[lane] = masks[lane];
  });
  active_ = 0;
  choose_ = true;
  release_warp_syncs();
}

u32 Warp::lanes_at_block_barrier(u32 id) const {
  u32 lanes = 0;
  for_each_lane(at_block_barrier_, [&](u32 lane) {
    if (block_barrier_[lane] == id) lanes |= u32{1} << lane;
  });
  return lanes;
}

void Warp::release_block_barrier(u32 id, const BlockBarrier& done) {
  const u32 lanes = lanes_at_block_barrier(id);
  if (lanes == 0) return;
  if (shared_.options.recorder != nullptr)
    shared_.options.recorder->release(this->id(), id, !done.subset);
  at_block_barrier_ &= ~lanes;
  for_each_lane(lanes, [&](u32 lane) { lane_pc_[lane] += sass::kInstructionBytes; });
  barrier_result_ = done.true_count;
  barrier_predicate_ = done.conjunction ? done.all_true : done.true_count != 0;
  choose_ = true;
}

void Warp::block_barrier(const ProgramInstruction& p, u64 next) {
  const Instruction& in = p.in;
  if (guard_.bits == 0) {
    pc_ = next;
    return;
  }
  if (in.opcode == Opcode::kB2R) {
    // What a reduction found; which kind it was is known to the code.
    if (!in.has(Field::kSpecial, Value::kRESULT)) return unmodelled(in);
    if (const Operand* dst = in.find(Role::kDst); dst != nullptr)
      semantics::write_word(*this, *dst, word(barrier_result_));
    if (const Operand* pd = in.find(Role::kPDst); pd != nullptr)
      semantics::write_flag(*this, pd, flag(barrier_predicate_));
    pc_ = next;
    return;
  }
  const Operand *id_operand = in.find(Role::kBarrier), *count_operand = in.find(Role::kAux);
  const std::optional<Value> mode = in.modifier(Field::kBarMode);
  if (!mode || id_operand == nullptr) return unmodelled(in);
  const auto value_of = [&](const Operand& operand) {
    return operand.kind == OperandKind::kRegister ? known(reg(operand.reg))
                                                  : std::optional(static_cast<u32>(operand.value));
  };
  std::optional<u32> id = value_of(*id_operand);
  std::optional<u32> count = count_operand != nullptr ? value_of(*count_operand) : 0;
  if (id && count_operand != nullptr && count_operand->kind == OperandKind::kRegister &&
      id_operand->kind == OperandKind::kRegister && count_operand->reg == id_operand->reg) {
    // One register holds both: the barrier in the low bits, the count from bit 16 on.
    count = *id >> 16 & 0xfff;
    id = *id & 0xf;
  } else if (count && count_operand != nullptr && count_operand->kind == OperandKind::kRegister) {
    count = *count & 0xfff;
  }
  if (!id || *id >= kBarriers || !count)
    return stop(End::kUnmodelled, "barrier number or count that differs from lane to lane");
  const bool waits = *mode != Value::kARV;
  if (*mode != Value::kSYNC && *mode != Value::kARV && *mode != Value::kRED) return unmodelled(in);
  BlockBarrier& barrier = block_.barriers[*id];
  const u32 lanes = guard_.bits;
  u32 arriving = static_cast<u32>(__builtin_popcount(lanes));
  if (*count != 0) {
    // A count is of whole warps; the lanes that hold no thread come with the first that does.
    if ((lanes & (exist_ & (~exist_ + 1))) != 0)
      arriving += kWarpSize - static_cast<u32>(__builtin_popcount(exist_));
    if (*count % kWarpSize != 0)
      return stop(End::kFault, fmt::format("barrier count {} is no multiple of 32", *count));
  }
  if (barrier.in_use && barrier.expected != *count)
    return stop(End::kFault, fmt::format("barrier {} with different counts", *id));
  if (shared_.options.recorder != nullptr) shared_.options.recorder->arrive(this->id(), *id);
  barrier.in_use = true;
  barrier.expected = *count;
  barrier.arrived += arriving;
  const u32 whole = (block_.thread_count + kWarpSize - 1) / kWarpSize * kWarpSize;
  if (!waits || (*count != 0 && *count != whole)) barrier.subset = true;
  if (*mode == Value::kRED) {
    const LaneMask x = semantics::read_flag(*this, in.find(Role::kPSrc));
    barrier.true_count += static_cast<u32>(__builtin_popcount(lanes & x.bits));
    barrier.all_true = barrier.all_true && (lanes & ~x.bits) == 0;
    barrier.conjunction = in.has(Field::kBarOp, Value::kAND);
  }
  park();
  move_lanes(active_ & ~lanes, next);
  if (waits) {
    at_block_barrier_ |= lanes;
    for_each_lane(lanes, [&](u32 lane) { block_barrier_[lane] = static_cast<u8>(*id); });
  } else {
    move_lanes(lanes, next);
  }
  active_ = 0;
  choose_ = true;
  block_.check_barriers = true;
}

void Warp::effect(const ProgramInstruction& p) {
  const Instruction& in = p.in;
  switch (in.opcode) {
    case Opcode::kBMOV: {
      // Convergence barriers as data: a mask of lanes.
      const Operand *dst = in.find(Role::kDst), *barrier = in.find(Role::kBarrier);
      const Operand* a = in.find(Role::kA);
      if (barrier == nullptr || barrier->reg >= kConvergenceBarriers ||
          !semantics::plain(in, Field::kSpecial))
        return unmodelled(in);
      const u8 b = barrier->reg;
      if (dst != nullptr && a == nullptr) {
        const Word mask = participants_[b];
        semantics::write_word(*this, *dst, mask);
        if (in.has(Field::kClear, Value::kCLEAR))
          for_each_lane(guard_.bits, [&](u32 lane) { participants_[b][lane] = 0; });
        return;
      }
      if (dst == nullptr && a != nullptr) {
        const Word mask = semantics::read_raw_word(*this, *a);
        for_each_lane(guard_.bits, [&](u32 lane) {
          participants_[b][lane] = mask[lane];
          sync_target_[b][lane] = 0;
        });
        return;
      }
      return unmodelled(in);
    }
    case Opcode::kCCTL:
      return discard_or_prefetch(in);
    case Opcode::kHGMMA:
    case Opcode::kIGMMA:
      return warpgroup_matrix(in);
    case Opcode::kWARPGROUP:
      return warpgroup(in, pc_ + sass::kInstructionBytes);
    case Opcode::kUSETMAXREG:
      return;  // how many registers the warp may use
    case Opcode::kTEX:
    case Opcode::kTLD:
      return fetch_texture(in);
    case Opcode::kSULD:
    case Opcode::kSUST:
      return access_surface(in);
    case Opcode::kSYNCS:
      return mbarrier(in, pc_ + sass::kInstructionBytes);
    case Opcode::kARRIVES:
      return arrive_after_copies(in);
    case Opcode::kUBLKCP:
    case Opcode::kUBLKRED:
      return bulk_copy(in);
    case Opcode::kSTAS:
    case Opcode::kREDAS:
      return store_and_tell(in);
    case Opcode::kUBLKPF:
    case Opcode::kUTMAPF:
    case Opcode::kUTMACCTL:
    case Opcode::kUTMACMDFLUSH:
      return;  // caches, and the end of a group of copies
    case Opcode::kUTMALDG:
    case Opcode::kUTMASTG:
    case Opcode::kUTMAREDG:
      return stop(End::kUnmodelled,
                  "copies by a tensor map are not modelled: nobody documents its layout");
    case Opcode::kFENCE:
      if (!semantics::is_understood(in)) return unmodelled(in);
      if (shared_.options.recorder != nullptr) shared_.options.recorder->may_order(id());
      return;
    case Opcode::kUCGABAR_ARV:
    case Opcode::kUCGABAR_WAIT:
      return cluster_barrier(in);
    // Programmatic dependent launch: there is no launch before or after this one.
    case Opcode::kPREEXIT:
    case Opcode::kACQBULK:
      return;
    default:
      return unmodelled(in);
  }
}

}  // namespace picker::emulator
