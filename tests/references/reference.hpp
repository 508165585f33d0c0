// References: what memory must hold after a launch, worked out from the kernel's source.
//
// A reference is the kernel read as plain C++: for every block, for every thread, the loads and
// stores of the .cu file, one thread after another. It knows nothing of instructions, warps or
// registers, so where it agrees with the emulated machine code, decoder, semantics and emulator
// are right together.
//
// One order of threads is not every order. Half of the sample launches overlap their buffers on
// purpose, and then what a thread reads may or may not be what another one wrote. So that such
// bytes are found and not guessed, a reference runs twice. The first run notes who writes which
// byte. In the second a load is *open* if another thread writes the byte at a time that no block
// barrier orders, or if the byte itself is open; an open value makes open what is computed from it
// (`Value`) and where it is stored; so does a store that races with one of another value. All other
// bytes hold in every order. What an open value decides beyond a value (where to store, how often)
// makes the whole launch open (`decide`).
//
// Atomics of one kind on one integer commute, so memory is the same in every order, but what they
// return is open. Sums of floats by atomics commute only where they are exact; the references that
// use them fill memory with whole numbers.
//
// Where the order matters it can still be followed: given what each thread found at each byte and
// who wrote each byte last (`Observed`, noted while the launch was emulated), a third run computes
// what these threads must have stored from what they saw. Atomics it takes as before.
//
// Three more ways to store: `store_near`, for floats that the programming guide gives an error
// bound for; `open_bytes`, for what the source itself leaves to the machine (clocks, slots handed
// out by an atomic), mostly with a `check` of what must hold of them instead.
//
// Cost: two hash table look-ups per byte stored or loaded.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "emulator/memory.hpp"
#include "emulator/random.hpp"
#include "support/types.hpp"

namespace picker::references {

using emulator::GlobalMemory;

// A float that was computed: of NaNs there is one only, as the machine makes it.
inline float computed(float x) { return std::isnan(x) ? std::bit_cast<float>(0x7fffffffu) : x; }
inline double computed(double x) { return x; }

// A value and whether the order of threads decides it.
template <class T>
struct Value {
  T value{};
  bool open = false;

  Value() = default;
  Value(T v, bool is_open = false) : value(v), open(is_open) {}  // NOLINT: as a T

  // Integers wrap.
  static T wrap(u64 x) { return static_cast<T>(x); }
  friend Value operator+(Value a, Value b) {
    if constexpr (std::is_floating_point_v<T>)
      return {computed(a.value + b.value), a.open || b.open};
    return {wrap(static_cast<u64>(a.value) + static_cast<u64>(b.value)), a.open || b.open};
  }
  friend Value operator-(Value a, Value b) {
    if constexpr (std::is_floating_point_v<T>)
      return {computed(a.value - b.value), a.open || b.open};
    return {wrap(static_cast<u64>(a.value) - static_cast<u64>(b.value)), a.open || b.open};
  }
  friend Value operator*(Value a, Value b) {
    if constexpr (std::is_floating_point_v<T>)
      return {computed(a.value * b.value), a.open || b.open};
    return {wrap(static_cast<u64>(a.value) * static_cast<u64>(b.value)), a.open || b.open};
  }
  friend Value operator/(Value a, Value b) {
    return {computed(a.value / b.value), a.open || b.open};
  }
  friend Value<bool> operator<(Value a, Value b) { return {a.value < b.value, a.open || b.open}; }
  friend Value<bool> operator>(Value a, Value b) { return b < a; }
  friend Value<bool> operator==(Value a, Value b) { return {a.value == b.value, a.open || b.open}; }
};

// f of the values; open if one of them is.
template <class F, class... T>
auto map(F f, const Value<T>&... v) -> Value<decltype(f(v.value...))> {
  return {f(v.value...), (v.open || ...)};
}

// a * b + c rounded once: what nvcc makes of such an expression by default (-fmad=true).
inline Value<float> fused(Value<float> a, Value<float> b, Value<float> c) {
  return map([](float x, float y, float z) { return computed(std::fma(x, y, z)); }, a, b, c);
}

// A pointer of the device, to elements of type T.
template <class T>
struct Pointer {
  u64 address = 0;

  Pointer operator+(i64 elements) const {
    return {address + static_cast<u64>(elements) * sizeof(T)};
  }
  template <class U>
  [[nodiscard]] Pointer<U> as() const {
    return {address};
  }
};

struct Triple {
  u32 x = 1, y = 1, z = 1;
  [[nodiscard]] u32 count() const { return x * y * z; }
};

// Who accesses: threads of one block are ordered by the block barriers passed, others never.
struct Actor {
  u32 block = 0;
  u32 thread = 0;
  u32 epoch = 0;
  [[nodiscard]] bool unordered(const Actor& other) const {
    return block != other.block || (thread != other.thread && epoch == other.epoch);
  }
};

enum class Atomic : u8 { kNone, kAdd, kOr, kMaximum, kUnsignedMaximum, kIncrement };

struct LoggedWrite {
  Actor who;
  Atomic kind = Atomic::kNone;
};
using WriteLog = std::unordered_map<u64, std::vector<LoggedWrite>>;

// What happened in one emulated run of a launch.
struct Observed {
  struct Found {
    u32 block = 0, thread = 0;
    u8 byte = 0;
  };
  struct Writer {
    u32 block = 0, thread = 0;
    bool unclear = false;  // an atomic, or several lanes at once
    u64 access = 0;        // number of the access
  };
  std::unordered_map<u64, std::vector<Found>> loads;  // by address, in their order
  std::unordered_map<u64, Writer> last_writer;        // by address
};

// What a launch brings.
struct Setting {
  Triple grid, block;
  std::vector<u8> parameters;               // as in constant memory
  std::vector<u32> parameter_offsets;       // by number
  std::map<std::string, u64> symbols;       // addresses of module variables
  const GlobalMemory* before = nullptr;     // memory as the launch finds it
  const GlobalMemory* as_stated = nullptr;  // memory with the contents that the table states
};

// A float that may differ from the reference by `bound`.
struct Near {
  float value = 0;
  double bound = 0;
  bool open = false;
};

using Check = std::function<bool(const GlobalMemory& after)>;

class Thread;
class Block;

// One run of a reference.
class Execution {
 public:
  // Applies the kernel to `memory`. Without `log` (the first run) nothing is open and the writes
  // are noted. With `observed` loads give what was found.
  Execution(const Setting& setting, GlobalMemory& memory, const WriteLog* log,
            const Observed* observed = nullptr)
      : grid(setting.grid),
        block(setting.block),
        setting_(setting),
        memory_(memory),
        log_(log),
        observed_(observed) {}

  const Triple grid, block;

  template <class T>
  [[nodiscard]] T argument(u32 number) const {
    T value;
    std::memcpy(&value, setting_.parameters.data() + setting_.parameter_offsets.at(number),
                sizeof value);
    return value;
  }
  template <class T>
  [[nodiscard]] Pointer<T> pointer(u32 number) const {
    return {argument<u64>(number)};
  }
  template <class T>
  [[nodiscard]] Pointer<T> symbol(const std::string& name) const {
    return {setting_.symbols.at(name)};
  }
  // Memory as it was, and as it is in this order of threads: not accesses of the kernel.
  template <class T>
  [[nodiscard]] T before(Pointer<T> p, i64 i = 0) const {
    return get<T>(*setting_.before, p + i);
  }
  template <class T>
  [[nodiscard]] T now(Pointer<T> p, i64 i = 0) const {
    return get<T>(memory_, p + i);
  }
  template <class T>
  [[nodiscard]] static T get(const GlobalMemory& memory, Pointer<T> p) {
    std::array<u8, sizeof(T)> bytes;
    memory.read(p.address, bytes);
    return std::bit_cast<T>(bytes);
  }

  // f(Thread) for every thread of the grid, without barriers.
  template <class F>
  void each_thread(F f);
  // f(Block) for every block.
  template <class F>
  void each_block(F f);

  // These bytes may hold anything; `check` says what must be true instead.
  template <class T>
  void open_bytes(Pointer<T> p, u64 count = 1) {
    for (u64 i = 0; i < count * sizeof(T); ++i) bytes_[p.address + i].natural = true;
  }
  void check(Check condition) { checks_.push_back(std::move(condition)); }

  // Everything below is the harness's.
  struct Byte {
    bool open = false;     // the order of threads decides
    bool raced = false;    // two stores of different values race
    bool natural = false;  // the kernel leaves it open
    bool near = false;
  };
  [[nodiscard]] const std::unordered_map<u64, Byte>& bytes() const { return bytes_; }
  [[nodiscard]] const std::map<u64, Near>& near() const { return near_; }
  [[nodiscard]] const std::vector<Check>& checks() const { return checks_; }
  [[nodiscard]] bool order_decides() const { return order_decides_; }
  [[nodiscard]] WriteLog take_writes() { return std::move(noted_); }

 private:
  friend class Thread;
  [[nodiscard]] bool open_to(const Actor& who, u64 address, Atomic kind) const;
  [[nodiscard]] bool raced_by(const Actor& who, u64 address) const;
  bool load(const Actor& who, u64 address, void* to, u32 size);
  // False: somebody else is known to write there later.
  bool store(const Actor& who, u64 address, const void* from, u32 size, bool open);
  bool follow_load(const Actor& who, u64 address, u8& byte);
  bool follow_store(const Actor& who, u64 address, u8 byte, bool open);
  // Old contents go to `old`; false if these are open. The update maps old to new bytes.
  bool atomic(const Actor& who, u64 address, u32 size, Atomic kind, u64& old,
              const std::function<u64(u64)>& update);
  void note(const Actor& who, u64 address, u32 size, Atomic kind);

  const Setting& setting_;
  GlobalMemory& memory_;
  const WriteLog* log_;
  const Observed* observed_;
  std::map<std::array<u64, 3>, size_t> loads_followed_;  // by block, thread and address
  WriteLog noted_;
  std::unordered_map<u64, Byte> bytes_;
  std::map<u64, Near> near_;
  std::vector<Check> checks_;
  bool order_decides_ = false;
};

class Thread {
 public:
  Thread(Execution& run, Actor who, Triple block_index, Triple index)
      : b(block_index), t(index), run_(run), who_(who) {}

  const Triple b, t;  // blockIdx and threadIdx

  // blockIdx.x * blockDim.x + threadIdx.x
  [[nodiscard]] u32 u() const { return b.x * run_.block.x + t.x; }
  [[nodiscard]] i32 i() const { return static_cast<i32>(u()); }
  [[nodiscard]] u32 linear() const { return who_.thread; }

  template <class T>
  Value<T> load(Pointer<T> p, i64 i = 0) {
    T value;
    const bool open = run_.load(who_, (p + i).address, &value, sizeof value);
    return {value, open};
  }
  // An open index gives an open value.
  template <class T, class I>
  Value<T> load_at(Pointer<T> p, Value<I> i) {
    Value<T> value = load(p, static_cast<i64>(i.value));
    value.open = value.open || i.open;
    return value;
  }
  template <class T>
  void store(Pointer<T> p, i64 i, Value<std::type_identity_t<T>> value) {
    run_.store(who_, (p + i).address, &value.value, sizeof(T), value.open);
  }
  // A store under a condition; if that is open, so is what memory holds then.
  template <class T>
  void store_if(Value<bool> condition, Pointer<T> p, i64 i, Value<std::type_identity_t<T>> value) {
    if (condition.open)
      store(p, i, {value.value, true});
    else if (condition.value)
      store(p, i, value);
  }
  void store_near(Pointer<float> p, i64 i, Value<double> value, double bound) {
    const auto rounded = static_cast<float>(value.value);
    const u64 address = (p + i).address;
    if (!run_.store(who_, address, &rounded, sizeof rounded, value.open)) return;
    run_.near_[address] = {rounded, bound, value.open};
    for (u64 k = 0; k < 4; ++k) run_.bytes_[address + k].near = true;
  }
  // For what is more than a value: an open one makes the launch open.
  template <class T>
  T decide(Value<T> value) {
    run_.order_decides_ = run_.order_decides_ || value.open;
    return value.value;
  }
  template <class T, class F>
  Value<T> atomic(Atomic kind, Pointer<T> p, i64 i, F update) {
    u64 old = 0;
    const bool open =
        run_.atomic(who_, (p + i).address, sizeof(T), kind, old, [&](u64 bits) -> u64 {
          return std::bit_cast<std::make_unsigned_t<Word<T>>>(
              update(std::bit_cast<T>(static_cast<std::make_unsigned_t<Word<T>>>(bits))));
        });
    return {std::bit_cast<T>(static_cast<std::make_unsigned_t<Word<T>>>(old)), open};
  }

 private:
  template <class T>
  using Word = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u8>>;

  Execution& run_;
  Actor who_;
};

class Block {
 public:
  Block(Execution& run, u32 linear)
      : index{linear % run.grid.x, linear / run.grid.x % run.grid.y,
              linear / run.grid.x / run.grid.y},
        run_(run),
        linear_(linear) {}

  const Triple index;  // blockIdx

  // f(Thread) for all threads up to the next barrier.
  template <class F>
  void each(F f) {
    for (u32 i = 0; i < run_.block.count(); ++i) f(thread(i));
  }
  [[nodiscard]] Thread thread(u32 i) {
    const Triple at{i % run_.block.x, i / run_.block.x % run_.block.y,
                    i / run_.block.x / run_.block.y};
    return Thread(run_, {linear_, i, epoch_}, index, at);
  }
  void barrier() { ++epoch_; }

 private:
  Execution& run_;
  u32 linear_;
  u32 epoch_ = 0;
};

template <class F>
void Execution::each_block(F f) {
  for (u32 i = 0; i < grid.count(); ++i) f(Block(*this, i));
}

template <class F>
void Execution::each_thread(F f) {
  each_block([&](Block block_of_threads) { block_of_threads.each(f); });
}

// What memory is filled with before the launch.
enum class Fill : u8 {
  kFloats,    // of many magnitudes, zeros of both signs and subnormal ones
  kModerate,  // floats in [-4, 4)
  kPositive,  // floats in [0, 30), some up to 10^7
  kWhole,     // floats, whole numbers from -8 to 7: sums of thousands are exact
  kWords,     // random bits
  kSmall,     // words from 0 to 9
  kHalves,    // pairs of halves, whole numbers from -3 to 4
  kStated,    // as the table of launches says
};

// Changes what memory holds before the launch.
class Preparation {
 public:
  Preparation(const Execution& of_run, u64 seed, const GlobalMemory& as_stated,
              GlobalMemory& memory)
      : run(of_run), random(seed), as_stated_(as_stated), memory_(memory) {}

  const Execution& run;  // for its arguments
  emulator::Random random;

  template <class T>
  void set(Pointer<T> p, i64 i, T value) {
    memory_.write((p + i).address, {reinterpret_cast<const u8*>(&value), sizeof value});
  }
  // Puts back what the table states.
  template <class T>
  void keep(Pointer<T> p, u64 count) {
    for (u64 i = 0; i < count; ++i) set(p, static_cast<i64>(i), Execution::get(as_stated_, p + i));
  }
  // Puts the elements there in another order.
  template <class T>
  void shuffle(Pointer<T> p, i64 count) {
    for (i64 i = count - 1; i > 0; --i) {
      const auto j = static_cast<i64>(random.below(static_cast<u64>(i) + 1));
      const T a = Execution::get(memory_, p + i), b = Execution::get(memory_, p + j);
      set(p, i, b);
      set(p, j, a);
    }
  }
  // More memory that the launch may use.
  void allocate(u64 address, u64 size) { memory_.allocate(address, size); }

 private:
  const GlobalMemory& as_stated_;
  GlobalMemory& memory_;
};

struct Reference {
  const char* kernel;  // as its symbol is called
  void (*apply)(Execution& run);
  Fill fill = Fill::kFloats;
  void (*prepare)(Preparation& preparation) = nullptr;
  // Why bytes of every launch that does something are open; null: only overlaps make them so.
  const char* open_by_nature = nullptr;
  // The reference gives one thread what several do together, so their order cannot be followed.
  bool shares_work = false;
};

// By theme; each file holds one.
[[nodiscard]] std::vector<Reference> copies();
[[nodiscard]] std::vector<Reference> arithmetic();
[[nodiscard]] std::vector<Reference> indices();
[[nodiscard]] std::vector<Reference> control();
[[nodiscard]] std::vector<Reference> exchanges();
[[nodiscard]] std::vector<Reference> atomics();
[[nodiscard]] std::vector<Reference> parameters();
[[nodiscard]] std::vector<Reference> machine();
[[nodiscard]] std::vector<Reference> all_references();

}  // namespace picker::references
