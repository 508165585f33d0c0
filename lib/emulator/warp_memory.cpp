// Loads, stores and atomics of a warp: which space, which bytes, and what goes wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "emulator/atomics.hpp"
#include "emulator/warp.hpp"
#include "semantics/matrix.hpp"
#include "semantics/memory.hpp"

namespace picker::emulator {

using sass::Field;
using sass::Role;
using sass::Value;
using semantics::Space;

namespace {

constexpr u32 kDiscardBytes = 128;

Operand register_pair(u8 reg) {
  Operand operand;
  operand.kind = sass::OperandKind::kRegister;
  operand.reg = reg;
  return operand;
}

}  // namespace

void Warp::fault(MemoryFault what, u32 lane, u64 address, u32 bytes, std::string_view space) {
  switch (what) {
    case MemoryFault::kNone:
      return;
    case MemoryFault::kOutOfBounds:
      return stop(End::kFault,
                  fmt::format("access to {} bytes at {:#x} of {} memory, outside of it", bytes,
                              address, space),
                  lane);
    case MemoryFault::kMisaligned:
      return stop(
          End::kFault,
          fmt::format("misaligned access to {} bytes at {:#x} of {} memory", bytes, address, space),
          lane);
    case MemoryFault::kTooMuch:
      return stop(End::kUnmodelled,
                  "the launch touches more memory than the emulator keeps (1 GiB)", lane);
  }
}

// Generic addresses are shared, local or global ones, lane by lane.
void Warp::split_by_space(const Reference& ref, u32 lanes, std::array<u32, 3>& by_target,
                          Wide& address) const {
  by_target = {0, 0, 0};
  address = ref.address;
  switch (ref.space) {
    case Space::kGlobal:
      by_target[0] = lanes;
      return;
    case Space::kShared:
      by_target[1] = lanes;
      return;
    case Space::kLocal:
      by_target[2] = lanes;
      return;
    case Space::kGeneric:
      break;
  }
  for_each_lane(lanes, [&](u32 lane) {
    const u64 a = address[lane];
    if (a - kSharedWindow < kMaxClusterBlocks * kSharedOffsetSpan) {
      by_target[1] |= u32{1} << lane;
      address[lane] = a - kSharedWindow;
    } else if (a - kLocalWindow < kWindowBytes) {
      by_target[2] |= u32{1} << lane;
      address[lane] = a - kLocalWindow;
    } else {
      by_target[0] |= u32{1} << lane;
    }
  });
}

// Loads of a barrier's word ask whether a phase is over; they race with nothing and may order.
u32 Warp::without_barrier_words(u32 lanes, const Wide& address) const {
  u32 others = lanes;
  for_each_lane(lanes, [&](u32 lane) {
    if (block_.barrier_words.contains(address[lane] & ~u64{7})) others &= ~(u32{1} << lane);
  });
  if (others != lanes) shared_.options.recorder->may_order(id());
  return others;
}

void Warp::record_narrow(const std::array<u32, 3>& by_target, const Wide& address, u32 bytes,
                         bool read, bool write) const {
  if (shared_.options.recorder == nullptr) return;
  for (const Target target : {Target::kShared, Target::kLocal}) {
    u32 lanes = by_target[static_cast<u32>(target)];
    if (target == Target::kShared && !block_.barrier_words.empty())
      lanes = without_barrier_words(lanes, address);
    if (lanes == 0) continue;
    if (target == Target::kShared && block_.cluster->blocks.size() > 1) {
      record_shared(lanes, address, bytes, read, write);
      continue;
    }
    shared_.options.recorder->record(NarrowAccess{
        .space = target == Target::kShared ? NarrowSpace::kShared : NarrowSpace::kLocal,
        .code_offset = static_cast<u32>(pc_),
        .bytes = bytes,
        .lanes = lanes,
        .read = read,
        .write = write,
        .block = block_.linear,
        .first_thread = first_thread_,
        .offset = address});
  }
}

bool Warp::narrow_bytes(Target target, u32 lane, u64 offset, u32 bytes, u8*& out) {
  const bool shared = target == Target::kShared;
  const std::string_view name = shared ? "shared" : "local";
  if (offset % bytes != 0) {
    fault(MemoryFault::kMisaligned, lane, offset, bytes, name);
    return false;
  }
  if (shared) {
    if (offset >> kSharedOffsetBits != block_.cluster_rank)
      return peer_bytes(lane, offset, bytes, out);
    offset &= kSharedOffsetSpan - 1;
    if (offset + bytes > block_.shared.size()) {
      fault(MemoryFault::kOutOfBounds, lane, offset, bytes, name);
      return false;
    }
    out = block_.shared.data() + offset;
    return true;
  }
  const u64 first = kWindowBytes - shared_.local_bytes;
  if (offset < first || offset + bytes > kWindowBytes) {
    fault(MemoryFault::kOutOfBounds, lane, offset, bytes, name);
    return false;
  }
  if (local_.empty()) make_local_memory();
  out = local_.data() + size_t{lane} * shared_.local_bytes + (offset - first);
  return true;
}

bool Warp::global_access(const Reference& ref, u32 lanes, const Wide& address, bool read,
                         bool write, AccessData& data, const Update* update) {
  if (lanes == 0 || shared_.outcome) return false;
  Access access;
  access.code_offset = static_cast<u32>(pc_);
  access.bytes = ref.bytes;
  access.lanes = lanes;
  access.read = read;
  access.write = write;
  access.asynchronous = ref.asynchronous;
  access.discards = discarding_;
  access.non_coherent =
      ref.instruction == nullptr || ref.instruction->has(Field::kSemantics, Value::kCONSTANT);
  access.block = block_.linear;
  access.first_thread = first_thread_;
  access.barrier_epoch = block_.epoch;
  access.address = address;
  const u32 first_lane = first_lane_of(lanes);
  const FaultPlace place =
      shared_.memory.access(access, data, update, first_lane, shared_.options.recorder);
  fault(place.fault, place.lane, place.address, ref.bytes, "global");
  return place.fault == MemoryFault::kNone;
}

bool Warp::load_shared_whole(u32 lanes, const Wide& address, u32 bytes, Data& words) const {
  u64 last = 0, bits = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 at = (lanes >> i & 1) != 0 ? address[i] : 0;
    last = std::max(last, at);
    bits |= at;
  }
  if ((bits & (bytes - 1)) != 0 || last + bytes > block_.shared.size()) return false;
  const u8* const from = block_.shared.data();
  const auto gather = [&](auto size) {
    for (u32 i = 0; i < kWarpSize; ++i) {
      const u64 at = (lanes >> i & 1) != 0 ? address[i] : 0;
      std::array<u32, (size + 3) / 4> buffer{};
      std::memcpy(buffer.data(), from + at, size);
      for (u32 w = 0; w < buffer.size(); ++w) words[w][i] = buffer[w];
    }
  };
  switch (bytes) {
    case 4:
      gather(std::integral_constant<u32, 4>{});
      return true;
    case 8:
      gather(std::integral_constant<u32, 8>{});
      return true;
    case 16:
      gather(std::integral_constant<u32, 16>{});
      return true;
    default:
      return false;
  }
}

Warp::Data Warp::load(const Reference& ref) {
  Data words;
  for (u32 w = 0; w < (ref.bytes + 3) / 4; ++w) words[w] = word(0);
  u32 lanes = guard_.bits;
  if (ref.enabled) lanes &= ref.enabled->bits;
  if (ref.space == Space::kShared && load_shared_whole(lanes, ref.address, ref.bytes, words)) {
    record_narrow({0, lanes, 0}, ref.address, ref.bytes, true, false);
    return words;
  }
  std::array<u32, 3> by_target;
  Wide address;
  split_by_space(ref, lanes, by_target, address);
  if (by_target[0] != 0) {
    AccessData data;
    for (u32 w = 0; w < (ref.bytes + 3) / 4; ++w) data.words[w] = word(0);
    if (!global_access(ref, by_target[0], address, true, false, data, nullptr)) return words;
    for (u32 w = 0; w < (ref.bytes + 3) / 4; ++w) words[w] = data.words[w];
  }
  record_narrow(by_target, address, ref.bytes, true, false);
  for (const Target target : {Target::kShared, Target::kLocal})
    for_each_lane(by_target[static_cast<u32>(target)], [&](u32 lane) {
      u8* from = nullptr;
      if (!narrow_bytes(target, lane, address[lane], ref.bytes, from)) return;
      std::array<u32, semantics::kMaxAccessWords> buffer{};
      std::memcpy(buffer.data(), from, ref.bytes);
      for (u32 w = 0; w < (ref.bytes + 3) / 4; ++w) words[w][lane] = buffer[w];
    });
  return words;
}

void Warp::store(const Reference& ref, const Data& data) {
  u32 lanes = guard_.bits;
  if (ref.enabled) lanes &= ref.enabled->bits;
  std::array<u32, 3> by_target;
  Wide address;
  split_by_space(ref, lanes, by_target, address);
  const u32 count = (ref.bytes + 3) / 4;
  if (by_target[0] != 0) {
    AccessData out;
    for (u32 w = 0; w < count; ++w) out.words[w] = data[w];
    if (!global_access(ref, by_target[0], address, false, true, out, nullptr)) return;
  }
  record_narrow(by_target, address, ref.bytes, false, true);
  for (const Target target : {Target::kShared, Target::kLocal})
    in_lane_order(by_target[static_cast<u32>(target)], [&](u32 lane) {
      u8* to = nullptr;
      if (!narrow_bytes(target, lane, address[lane], ref.bytes, to)) return;
      std::array<u32, semantics::kMaxAccessWords> buffer{};
      for (u32 w = 0; w < count; ++w) buffer[w] = data[w][lane];
      std::memcpy(to, buffer.data(), ref.bytes);
    });
}

void Warp::atomic(const Instruction& in, const Reference& ref, const Data& data,
                  const Data& comparand) {
  const std::optional<AtomicKind> kind = atomic_kind(in, ref.bytes);
  const Operand* predicate = in.find(Role::kPDst);
  if (!kind || (predicate != nullptr && predicate->reg != sass::kPT)) return unmodelled(in);
  const bool counts_lanes = in.has(Field::kAtomicMode, Value::kPOPC);
  const u32 words = ref.bytes / 4;
  const auto operand = [&](const Data& from, u32 lane) {
    return words == 2 ? u64{from[1][lane]} << 32 | from[0][lane] : u64{from[0][lane]};
  };
  const auto fresh = [&](u32 lane, u64 old_value) {
    if (counts_lanes) return (old_value + 1) & 0xffffffffu;
    return apply_atomic(*kind, old_value, operand(data, lane), operand(comparand, lane));
  };
  std::array<u32, 3> by_target;
  Wide address;
  split_by_space(ref, guard_.bits, by_target, address);
  if (kind->operation == Value::kARRIVE)
    for_each_lane(by_target[1], [&](u32 lane) { block_.barrier_words.insert(address[lane]); });
  std::array<Word, 2> result = {word(0), word(0)};
  if (by_target[0] != 0) {
    const Update update = [&](u32 lane, std::span<const u8> from, std::span<u8> to) {
      u64 x = 0;
      std::memcpy(&x, from.data(), from.size());
      x = fresh(lane, x);
      std::memcpy(to.data(), &x, to.size());
      return true;
    };
    AccessData out;
    for (u32 w = 0; w < words; ++w) out.words[w] = word(0);
    if (!global_access(ref, by_target[0], address, true, true, out, &update)) return;
    for (u32 w = 0; w < words; ++w) result[w] = out.words[w];
  }
  record_narrow(by_target, address, ref.bytes, true, true);
  if (shared_.options.recorder != nullptr) shared_.options.recorder->may_order(id());
  for (const Target target : {Target::kShared, Target::kLocal})
    in_lane_order(by_target[static_cast<u32>(target)], [&](u32 lane) {
      u8* at = nullptr;
      if (!narrow_bytes(target, lane, address[lane], ref.bytes, at)) return;
      u64 x = 0;
      std::memcpy(&x, at, ref.bytes);
      result[0][lane] = static_cast<u32>(x);
      result[1][lane] = static_cast<u32>(x >> 32);
      x = fresh(lane, x);
      std::memcpy(at, &x, ref.bytes);
    });
  const Operand* dst = in.find(Role::kDst);
  if (dst == nullptr || dst->is_zero_register()) return;
  if (counts_lanes) return unmodelled(in);  // what the lanes of one warp get back is not known
  for (u32 w = 0; w < words; ++w) semantics::write_word(*this, *dst, result[w], w);
}

// LDSM: up to four 8 by 8 matrices of 16-bit elements; the rows' addresses come from eight lanes
// each, and every lane gets two neighbours of a row (or, transposed, of a column).
void Warp::load_matrix(const Instruction& in) {
  const Operand *operand = in.find(Role::kAddress), *dst = in.find(Role::kDst);
  const bool transposed = in.has(Field::kTranspose, Value::kMT88);
  if (operand == nullptr || dst == nullptr || dst->width > 4 || guard_.bits != ~u32{0} ||
      (!transposed && !in.has(Field::kTranspose, Value::kM88)))
    return unmodelled(in);
  const auto address = semantics::effective_address(*this, *operand, false);
  if (!address) return unmodelled(in);
  constexpr u32 kRowBytes = 16;
  const u32 rows = 8 * dst->width;
  record_narrow({0, rows == kWarpSize ? ~u32{0} : (u32{1} << rows) - 1, 0}, *address, kRowBytes,
                true, false);
  for (u32 matrix = 0; matrix < dst->width; ++matrix) {
    Word out = word(0);
    for (u32 row = 0; row < 8; ++row) {
      u8* from = nullptr;
      const u32 lane = matrix * 8 + row;
      if (!narrow_bytes(Target::kShared, lane, (*address)[lane], kRowBytes, from)) return;
      std::memcpy(&out[row * 4], from, kRowBytes);
    }
    semantics::write_word(*this, *dst, transposed ? semantics::transpose_8x8(out) : out, matrix);
  }
}

// Whether a prefetched sector was there: the cache's affair.
void Warp::prefetch_flag(const Operand& operand) {
  semantics::write_flag(*this, &operand, LaneMask{static_cast<u32>(shared_.clock_random.next())});
}

// CCTL: prefetches, invalidations and write-backs do nothing to data; a discard leaves the 128
// bytes of a line undefined.
void Warp::discard_or_prefetch(const Instruction& in) {
  const std::optional<Value> operation = in.modifier(Field::kCacheOp);
  if (!operation) return unmodelled(in);
  switch (*operation) {
    case Value::kPF1:
    case Value::kPF2:
    case Value::kWB:
    case Value::kIV:
    case Value::kIVALL:
    case Value::kPML2:
    case Value::kDML2:
      return;
    case Value::kRML2:
      break;
    default:
      return unmodelled(in);
  }
  const Operand* operand = in.find(Role::kAddress);
  if (operand == nullptr) return unmodelled(in);
  if (!in.has(Field::kAddressExtended, Value::kE) || !operand->has_reg || operand->has_ureg ||
      operand->has_descriptor)
    return unmodelled(in);
  const Wide address = add(semantics::read_wide(*this, register_pair(operand->reg)),
                           wide(static_cast<u64>(operand->value)));
  Reference ref;
  ref.instruction = &in;
  ref.bytes = kMaxAccessBytes;
  for (u32 part = 0; part < kDiscardBytes; part += kMaxAccessBytes) {
    AccessData data;
    for (Word& w : data.words)
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        w[lane] = static_cast<u32>(shared_.clock_random.next());
    Wide at = address;
    for (u64& a : at.lane) a = a / kDiscardBytes * kDiscardBytes + part;
    discarding_ = true;
    const bool done = global_access(ref, guard_.bits, at, false, true, data, nullptr);
    discarding_ = false;
    if (!done) return;
  }
}

}  // namespace picker::emulator
