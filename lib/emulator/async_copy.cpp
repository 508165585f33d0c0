// Barriers in shared memory and bulk copies (mbarrier.hpp; cp.async.bulk, st.async in PTX).
//
// A bulk copy runs on its own after it was issued. Here it happens at once, as a whole, which is
// one of the orders that a device may choose; code that does not wait for it finds the bytes there
// all the same. What it reads and writes in global memory is recorded 16 bytes at a time as
// asynchronous accesses of the thread that issued it: they shield nothing, and its reads are
// shielded by nothing, for they go past the caches of the SM. A group of copies (UTMACMDFLUSH,
// DEPBAR) has therefore nothing to wait for.
//
// A wait for a barrier (SYNCS.PHASECHK.TRYWAIT) suspends its lanes until a phase of any barrier in
// the cluster is over, and then looks again. PTX lets it come back empty-handed after a while; that
// happens here only when nothing else can move.
#include <fmt/format.h>

#include <cstring>

#include "emulator/atomics.hpp"
#include "emulator/mbarrier.hpp"
#include "emulator/warp.hpp"
#include "semantics/ieee.hpp"
#include "semantics/memory.hpp"
#include "semantics/understood.hpp"

namespace picker::emulator {

using sass::Field;
using sass::Opcode;
using sass::Role;
using sass::Value;
using semantics::Space;

namespace {

constexpr u32 kUnit = 16;  // bytes: of sizes and of each piece of a copy

// Integers and what apply_atomic knows of floats.
std::optional<u64> combine(Value operation, Value type, u32 bytes, u64 old_value, u64 b) {
  AtomicKind kind{operation, type, bytes};
  const bool adds = operation == Value::kADD;
  const ieee::Mode exact{ieee::Rounding::kNearest, false};
  switch (type) {
    case Value::kU32:
    case Value::kS32:
    case Value::k64:
    case Value::kU64:
    case Value::kS64:
      return apply_atomic(kind, old_value, b, 0);
    case Value::kF32_FTZ_RN:
    case Value::kF64_RN:
      return adds ? std::optional(apply_atomic(kind, old_value, b, 0)) : std::nullopt;
    case Value::kF32_RN:
      return adds ? std::optional(ieee::add(ieee::kSingle, old_value, b, exact)) : std::nullopt;
    case Value::kF16_RN:  // two in a word
      kind.type = Value::kF16x2_RN;
      return adds ? std::optional(apply_atomic(kind, old_value, b, 0)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

u32 element_bytes(Value type) {
  switch (type) {
    case Value::k64:
    case Value::kU64:
    case Value::kS64:
    case Value::kF64_RN:
      return 8;
    default:
      return 4;
  }
}

}  // namespace

// `address`: rank and offset.
bool Warp::update_mbarrier(u32 lane, u64 address, u32 arrivals, i32 transfers, bool leaves,
                           u64* old_word) {
  u8* at = nullptr;
  if (!narrow_bytes(Target::kShared, lane, address, 8, at)) return false;
  u64 word = 0;
  std::memcpy(&word, at, 8);
  if (old_word != nullptr) *old_word = word;
  Mbarrier barrier = Mbarrier::unpack(word);
  const std::optional<bool> over = barrier.update(arrivals, transfers, leaves);
  if (!over) {
    stop(End::kFault,
         fmt::format("{} arrivals and {} bytes at a barrier in shared memory (at {:#x}) that waits "
                     "for {} arrivals and {} bytes",
                     arrivals, transfers, address & (kSharedOffsetSpan - 1), barrier.pending,
                     barrier.transfers),
         lane);
    return false;
  }
  word = barrier.pack();
  std::memcpy(at, &word, 8);
  order_by(address);
  if (*over) {
    block_.cluster->phase_over = true;
    block_.check_barriers = true;
  }
  return true;
}

void Warp::mbarrier(const Instruction& in, u64 next) {
  const Operand *address = in.find(Role::kAddress), *b = in.find(Role::kB);
  const std::optional<Value> operation = in.modifier(Field::kSyncOp);
  if (!semantics::is_understood(in) || !operation) return unmodelled(in);
  if (*operation == Value::kCCTL) return;  // caches; a barrier that is invalidated is only memory
  if (address == nullptr || b == nullptr) return unmodelled(in);
  const auto place = semantics::effective_address(*this, *address, false);
  if (!place) return unmodelled(in);
  switch (*operation) {
    case Value::kEXCH: {
      u8* at = nullptr;
      const u32 lane = lowest(guard_.bits);
      if (!narrow_bytes(Target::kShared, lane, (*place)[lane], 8, at)) return;
      std::array<u32, 2> old_words{}, words{};
      record_shared(u32{1} << lane, *place, 8, false, true);
      order_by((*place)[lane]);
      for (u32 w = 0; w < 2; ++w) words[w] = semantics::read_raw_word(*this, *b, w)[lane];
      std::memcpy(old_words.data(), at, 8);
      std::memcpy(at, words.data(), 8);
      for (u32 w = 0; w < 2; ++w)
        semantics::write_word(*this, *in.find(Role::kDst), word(old_words[w]), w);
      return;
    }
    case Value::kARRIVE: {
      const Value mode = in.modifier(Field::kArrivals).value_or(Value::kNone);
      const Word count = semantics::read_raw_word(*this, *b);
      Word low = word(0), high = word(0);
      for_each_lane(guard_.bits, [&](u32 lane) {
        u32 arrivals = 1;
        i32 transfers = 0;
        const i32 n = static_cast<i32>(count[lane]);
        if (mode == Value::kNone)
          transfers = n;
        else if (mode == Value::kART0)
          arrivals = count[lane];
        else if (mode != Value::kA1T0) {
          arrivals = 0;
          transfers = mode == Value::kA0TR ? n : mode == Value::kA0TX ? -n : 1;
        }
        u64 old_word = 0;
        if (shared_.outcome || !update_mbarrier(lane, (*place)[lane], arrivals, transfers,
                                                in.has(Field::kOptOut, Value::kOPTOUT), &old_word))
          return;
        low[lane] = static_cast<u32>(old_word);
        high[lane] = static_cast<u32>(old_word >> 32);
      });
      const Operand& dst = *in.find(Role::kDst);
      semantics::write_word(*this, dst, low, 0);
      semantics::write_word(*this, dst, high, 1);
      return;
    }
    case Value::kPHASECHK: {
      const Word token = semantics::read_raw_word(*this, *b);
      u32 over = 0;
      for_each_lane(guard_.bits, [&](u32 lane) {
        u8* at = nullptr;
        if (shared_.outcome || !narrow_bytes(Target::kShared, lane, (*place)[lane], 8, at)) return;
        u64 state = 0;
        std::memcpy(&state, at, 8);
        if (Mbarrier::unpack(state).parity != (token[lane] >> 31 != 0)) over |= u32{1} << lane;
      });
      if (in.has(Field::kSpecial2, Value::kTRYWAIT) && over == 0 && !wait_is_over_) {
        park();
        move_lanes(active_ & ~guard_.bits, next);
        at_phase_ |= guard_.bits;
        active_ = 0;
        choose_ = true;
        return;
      }
      wait_is_over_ = false;
      if (over != 0) order_by((*place)[lowest(guard_.bits)]);
      semantics::write_flag(*this, in.find(Role::kPDst), LaneMask{over});
      return;
    }
    default:
      return unmodelled(in);
  }
}

bool Warp::look_at_phases_again(bool in_vain) {
  if (at_phase_ == 0) return false;
  at_phase_ = 0;
  wait_is_over_ = in_vain;
  choose_ = true;
  return true;
}

// ARRIVES.LDGSTSBAR: arrives once the lane's copies so far are done; they are done when issued.
void Warp::arrive_after_copies(const Instruction& in) {
  const Operand* address = in.find(Role::kAddress);
  const bool early = !in.modifier(Field::kSpecial2);
  if (!semantics::is_understood(in) || address == nullptr ||
      (!early && semantics::plain(in, Field::kSpecial2)))
    return unmodelled(in);
  const auto place = semantics::effective_address(*this, *address, false);
  if (!place) return unmodelled(in);
  if (early) {
    for_each_lane(guard_.bits, [&](u32 lane) {
      u8* at = nullptr;
      if (shared_.outcome || !narrow_bytes(Target::kShared, lane, (*place)[lane], 8, at)) return;
      u64 word = 0;
      std::memcpy(&word, at, 8);
      order_by((*place)[lane]);
      word = arrive_at_early_barrier(word);
      std::memcpy(at, &word, 8);
    });
    return;
  }
  const bool counted = in.has(Field::kSpecial2, Value::kTRANSCNT);
  for_each_lane(guard_.bits, [&](u32 lane) {
    if (!shared_.outcome)
      (void)update_mbarrier(lane, (*place)[lane], counted ? 0 : 1, counted ? -1 : 0, false,
                            nullptr);
  });
}

bool Warp::bulk_global(u32 lane, u64 address, u32 bytes, bool write, u8* data,
                       const Update* update) {
  Reference ref;  // of no instruction: reads that no store of the SM is sure to show in
  ref.space = Space::kGlobal;
  ref.bytes = bytes;
  ref.asynchronous = true;
  AccessData words;
  std::array<u32, kMaxAccessBytes / 4> buffer{};
  if (write) std::memcpy(buffer.data(), data, bytes);
  for (u32 w = 0; w < bytes / 4; ++w) words.words[w] = word(buffer[w]);
  if (!global_access(ref, u32{1} << lane, wide(address), !write || update != nullptr, write, words,
                     update))
    return false;
  for (u32 w = 0; w < bytes / 4; ++w) buffer[w] = words.words[w][lane];
  if (!write) std::memcpy(data, buffer.data(), bytes);
  return true;
}

// UBLKCP, UBLKRED: `size` in the low half of B counts 16 bytes; above it lies a mask of blocks.
void Warp::bulk_copy(const Instruction& in) {
  const Operand *global = in.find(Role::kAddress), *narrow = in.find(Role::kAddress2);
  const Operand* b = in.find(Role::kB);
  const std::optional<Value> target = in.modifier(Field::kBulkTarget);
  const std::optional<Value> source = in.modifier(Field::kBulkSource);
  if (!semantics::is_understood(in) || global == nullptr || narrow == nullptr || b == nullptr ||
      !target || !source || !global->has_ureg || !narrow->has_ureg)
    return unmodelled(in);
  const auto uniform = [&](u32 n) { return n >= sass::kURZ ? u32{0} : uregs_[n]; };
  const auto pair = [&](u32 n) { return u64{uniform(n + 1)} << 32 | uniform(n); };
  const u32 lane = lowest(guard_.bits);
  const u32 word_b = semantics::read_raw_word(*this, *b)[lane];
  const u32 bytes = (word_b & 0xffff) * kUnit;
  const bool multicast = in.has(Field::kSpecial, Value::kMULTICAST);
  if (!multicast && word_b >> 16 != 0) return unmodelled(in);
  const bool reduces = in.opcode == Opcode::kUBLKRED;
  const Value type = in.modifier(Field::kType).value_or(Value::kU32);
  const Value operation = in.modifier(Field::kAtomicOp).value_or(Value::kADD);
  const auto fits = [&](u64 address) {
    if (address % kUnit == 0) return true;
    stop(End::kFault, fmt::format("bulk copy at {:#x}, which is no multiple of 16", address), lane);
    return false;
  };
  if (*target == Value::kG && *source == Value::kS) {
    const u64 to = pair(global->ureg);
    const u32 from = uniform(narrow->ureg);
    if (!fits(to) || !fits(from)) return;
    for (u32 at = 0; at < bytes && !shared_.outcome; at += kUnit) {
      u8* data = nullptr;
      if (!narrow_bytes(Target::kShared, lane, u64{from} + at, kUnit, data)) return;
      record_shared(u32{1} << lane, wide(u64{from} + at), kUnit, true, false);
      if (!reduces) {
        if (!bulk_global(lane, to + at, kUnit, true, data, nullptr)) return;
        continue;
      }
      const u32 each = element_bytes(type);
      for (u32 e = 0; e < kUnit; e += each) {
        bool known = true;
        const Update update = [&](u32, std::span<const u8> old_bytes, std::span<u8> new_bytes) {
          u64 x = 0, y = 0;
          std::memcpy(&x, old_bytes.data(), each);
          std::memcpy(&y, data + e, each);
          const std::optional<u64> result = combine(operation, type, each, x, y);
          known = result.has_value();
          if (known) std::memcpy(new_bytes.data(), &*result, each);
          return known;
        };
        if (!bulk_global(lane, to + at + e, each, true, data + e, &update)) return;
        if (!known) return unmodelled(in);
      }
    }
    return;
  }
  if (*target != Value::kS || (*source != Value::kG && *source != Value::kS)) return unmodelled(in);
  // To shared memory: the pair names the place and the barrier that is told.
  const bool from_global = *source == Value::kG;
  const Operand& to_pair = from_global ? *narrow : *global;
  const u32 to = uniform(to_pair.ureg), barrier = uniform(to_pair.ureg + u32{1});
  const u64 from = from_global ? pair(global->ureg) : uniform(narrow->ureg);
  if (!fits(to) || !fits(from)) return;
  // With a mask, the same offsets in each block that it names.
  std::vector<u32> ranks = {to >> kSharedOffsetBits};
  if (multicast) {
    ranks.clear();
    for (u32 rank = 0; rank < kMaxClusterBlocks; ++rank)
      if ((word_b >> 16 >> rank & 1) != 0) ranks.push_back(rank);
  }
  const auto in_block = [&](u32 rank, u64 offset) {
    return u64{rank} << kSharedOffsetBits | (offset & (kSharedOffsetSpan - 1));
  };
  for (u32 at = 0; at < bytes && !shared_.outcome; at += kUnit) {
    std::array<u8, kUnit> data{};
    u8* bytes_at = nullptr;
    if (from_global) {
      if (!bulk_global(lane, from + at, kUnit, false, data.data(), nullptr)) return;
    } else {
      if (!narrow_bytes(Target::kShared, lane, from + at, kUnit, bytes_at)) return;
      record_shared(u32{1} << lane, wide(from + at), kUnit, true, false);
      std::memcpy(data.data(), bytes_at, kUnit);
    }
    for (const u32 rank : ranks) {
      if (!narrow_bytes(Target::kShared, lane, in_block(rank, u64{to} + at), kUnit, bytes_at))
        return;
      record_shared(u32{1} << lane, wide(in_block(rank, u64{to} + at)), kUnit, reduces, true);
      if (!reduces) {
        std::memcpy(bytes_at, data.data(), kUnit);
        continue;
      }
      const u32 each = element_bytes(type);
      for (u32 e = 0; e < kUnit; e += each) {
        u64 x = 0, y = 0;
        std::memcpy(&x, bytes_at + e, each);
        std::memcpy(&y, data.data() + e, each);
        const std::optional<u64> result = combine(operation, type, each, x, y);
        if (!result) return unmodelled(in);
        std::memcpy(bytes_at + e, &*result, each);
      }
    }
  }
  for (const u32 rank : ranks) {
    const u64 at = multicast ? in_block(rank, barrier) : barrier;
    if (shared_.outcome || !update_mbarrier(lane, at, 0, -static_cast<i32>(bytes), false, nullptr))
      return;
  }
}

// STAS, REDAS: one word per lane into a block of the cluster; its barrier is told of the bytes.
void Warp::store_and_tell(const Instruction& in) {
  const Operand *address = in.find(Role::kAddress), *b = in.find(Role::kB);
  const bool reduces = in.opcode == Opcode::kREDAS;
  const Value type = in.modifier(Field::kType).value_or(Value::kU32);
  const auto size = semantics::access_size(in);
  if (!semantics::is_understood(in) || address == nullptr || b == nullptr || !address->has_reg ||
      address->reg >= sass::kRZ - 1 || address->has_ureg || (!reduces && !size))
    return unmodelled(in);
  const u32 bytes = reduces ? element_bytes(type) : size->bytes;
  const Word place = reg(address->reg), barrier = reg(static_cast<u8>(address->reg + 1));
  const Data data = semantics::read_data(*this, *b, bytes / 4);
  in_lane_order(guard_.bits, [&](u32 lane) {
    u8* at = nullptr;
    const u32 to = place[lane] + static_cast<u32>(address->value);
    record_shared(u32{1} << lane, wide(to), bytes, reduces, true);
    if (shared_.outcome || !narrow_bytes(Target::kShared, lane, to, bytes, at)) return;
    std::array<u32, 4> words{};
    for (u32 w = 0; w < bytes / 4; ++w) words[w] = data[w][lane];
    if (reduces) {
      u64 x = 0, y = 0;
      std::memcpy(&x, at, bytes);
      std::memcpy(&y, words.data(), bytes);
      const auto result =
          combine(in.modifier(Field::kAtomicOp).value_or(Value::kADD), type, bytes, x, y);
      if (!result) return unmodelled(in);
      std::memcpy(words.data(), &*result, bytes);
    }
    std::memcpy(at, words.data(), bytes);
    (void)update_mbarrier(lane, barrier[lane], 0, -static_cast<i32>(bytes), false, nullptr);
  });
}

}  // namespace picker::emulator
