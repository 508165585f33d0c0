#include "references/reference.hpp"

#include <algorithm>

namespace picker::references {

bool Execution::raced_by(const Actor& who, u64 address) const {
  if (log_ == nullptr) return false;
  const auto found = log_->find(address);
  return found != log_->end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const LoggedWrite& write) { return write.who.unordered(who); });
}

// Whether what an atomic of this kind leaves behind hangs on the order; kNone: what a load gives.
bool Execution::open_to(const Actor& who, u64 address, Atomic kind) const {
  if (log_ == nullptr) return false;
  if (const auto byte = bytes_.find(address); byte != bytes_.end()) {
    const Byte& b = byte->second;
    if (b.open || b.raced || b.natural || b.near) return true;
  }
  const auto found = log_->find(address);
  return found != log_->end() &&
         std::any_of(found->second.begin(), found->second.end(), [&](const LoggedWrite& write) {
           return write.who.unordered(who) && (kind == Atomic::kNone || write.kind != kind);
         });
}

void Execution::note(const Actor& who, u64 address, u32 size, Atomic kind) {
  if (log_ != nullptr) return;
  for (u32 i = 0; i < size; ++i) noted_[address + i].push_back({who, kind});
}

// What the thread found there, load by load; true if that is not known.
bool Execution::follow_load(const Actor& who, u64 address, u8& byte) {
  const auto found = observed_->loads.find(address);
  size_t turn =
      found == observed_->loads.end() ? 0 : loads_followed_[{who.block, who.thread, address}]++;
  bool known = false;
  if (found != observed_->loads.end())
    for (const Observed::Found& f : found->second) {
      if (f.block != who.block || f.thread != who.thread) continue;
      byte = f.byte;
      known = true;
      if (turn-- == 0) break;  // the compiler may have merged loads: then the last one
    }
  if (known) return false;
  memory_.read(address, {&byte, 1});
  return observed_->last_writer.contains(address);
}

bool Execution::load(const Actor& who, u64 address, void* to, u32 size) {
  bool open = false;
  if (observed_ != nullptr) {
    for (u32 i = 0; i < size; ++i) open |= follow_load(who, address + i, static_cast<u8*>(to)[i]);
    return open;
  }
  memory_.read(address, {static_cast<u8*>(to), size});
  for (u32 i = 0; i < size; ++i) open = open || open_to(who, address + i, Atomic::kNone);
  return open;
}

// Stores only what is known to stay.
bool Execution::follow_store(const Actor& who, u64 address, u8 byte, bool open) {
  const auto writer = observed_->last_writer.find(address);
  const bool known = writer != observed_->last_writer.end() && !writer->second.unclear;
  if (known && (writer->second.block != who.block || writer->second.thread != who.thread))
    return false;
  Byte& b = bytes_[address];
  b.open = open || (!known && writer != observed_->last_writer.end());
  b.near = false;
  memory_.write(address, {&byte, 1});
  return true;
}

bool Execution::store(const Actor& who, u64 address, const void* from, u32 size, bool open) {
  note(who, address, size, Atomic::kNone);
  const auto* bytes = static_cast<const u8*>(from);
  if (observed_ != nullptr) {
    bool stays = true;
    for (u32 i = 0; i < size; ++i) stays &= follow_store(who, address + i, bytes[i], open);
    return stays;
  }
  for (u32 i = 0; i < size; ++i) {
    const auto [at, first] = bytes_.try_emplace(address + i);
    Byte& byte = at->second;
    if (!first && raced_by(who, address + i)) {
      u8 last = 0;
      memory_.read(address + i, {&last, 1});
      byte.raced = byte.raced || byte.open || last != bytes[i];
    }
    byte.open = open;
    byte.near = false;
  }
  memory_.write(address, {bytes, size});
  return true;
}

bool Execution::atomic(const Actor& who, u64 address, u32 size, Atomic kind, u64& old,
                       const std::function<u64(u64)>& update) {
  note(who, address, size, kind);
  bool result_open = false, open = false;
  for (u32 i = 0; i < size; ++i) {
    result_open = result_open || open_to(who, address + i, Atomic::kNone);
    open = open || open_to(who, address + i, kind);
  }
  old = 0;
  memory_.read(address, {reinterpret_cast<u8*>(&old), size});
  const u64 value = update(old);
  memory_.write(address, {reinterpret_cast<const u8*>(&value), size});
  for (u32 i = 0; i < size; ++i) bytes_[address + i].open = open;
  return result_open;
}

std::vector<Reference> all_references() {
  std::vector<Reference> all;
  for (const auto& theme : {copies(), arithmetic(), indices(), control(), exchanges(), atomics(),
                            parameters(), machine()})
    all.insert(all.end(), theme.begin(), theme.end());
  return all;
}

}  // namespace picker::references
