// Fetches from textures, loads and stores of surfaces.
//
// Source: CUDA C++ Programming Guide, "Texture Fetching". With coordinates in elements, a point
// fetch takes element floor(x); a linear one weighs the elements around x - 0.5 by its fraction,
// which the hardware keeps in 8 bits. How the hardware rounds in between is not documented: here
// the fraction is rounded to the nearest 1/256 and all else is single precision, so the last bits
// may differ. Textures have one level, so the level of detail does not matter.
//
// Operands, as compilers lay them out: coordinates in A from the first register on (with .SCR, up
// to sm_89, two in A and the rest in B), then the level; results go in the order of the mask, two
// to Dst and the rest to Dst2. The handle is a word of the parameters or a uniform register. A
// one-dimensional texture is fetched as a two-dimensional one of height 1.
//
// Reads are recorded as such and as non-coherent ones: no store of the same launch is sure to show.
#include "emulator/texture.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/warp.hpp"
#include "semantics/ieee.hpp"
#include "semantics/memory.hpp"
#include "semantics/understood.hpp"

namespace picker::emulator {

using sass::Field;
using sass::Opcode;
using sass::OperandKind;
using sass::Role;
using sass::Value;

namespace {

constexpr u32 kMaxCoordinates = 3;

u32 axes_of(const Instruction& in) {
  switch (in.modifier(Field::kDimension).value_or(Value::kNone)) {
    case Value::k1D:
      return 1;
    case Value::k2D:
      return 2;
    case Value::k3D:
      return 3;
    default:
      return 0;
  }
}

// The word that one channel of an element gives.
u32 channel_word(const Image& image, u32 raw) {
  const auto as_float = [](float x) { return std::bit_cast<u32>(x); };
  switch (image.type) {
    case ElementType::kHalf:
      return static_cast<u32>(ieee::convert(ieee::kHalf, ieee::kSingle, raw, {}));
    case ElementType::kUnsigned8:
      return image.normalized_values ? as_float(static_cast<float>(raw) / 255.0f) : raw;
    case ElementType::kUnsigned16:
      return image.normalized_values ? as_float(static_cast<float>(raw) / 65535.0f) : raw;
    case ElementType::kSigned8: {
      const i32 x = static_cast<i32>(raw << 24) >> 24;
      return image.normalized_values ? as_float(std::max(static_cast<float>(x) / 127.0f, -1.0f))
                                     : static_cast<u32>(x);
    }
    case ElementType::kSigned16: {
      const i32 x = static_cast<i16>(raw);
      return image.normalized_values ? as_float(std::max(static_cast<float>(x) / 32767.0f, -1.0f))
                                     : static_cast<u32>(x);
    }
    case ElementType::kFloat:
    case ElementType::kWord:
      break;
  }
  return raw;
}

// The element at or beside `index` on an axis of `size`; nothing: the border.
std::optional<u32> element_at(Addressing addressing, i64 index, u32 size) {
  if (index >= 0 && index < i64{size}) return static_cast<u32>(index);
  switch (addressing) {
    case Addressing::kBorder:
      return std::nullopt;
    case Addressing::kWrap: {
      const i64 r = index % i64{size};
      return static_cast<u32>(r < 0 ? r + i64{size} : r);
    }
    case Addressing::kClamp:
      break;
  }
  return index < 0 ? 0 : size - 1;
}

// floor(x) as an index that cannot overflow what is done with it.
i64 floor_index(float x) {
  if (std::isnan(x)) return 0;
  constexpr float kFar = 1e9f;
  return static_cast<i64>(std::floor(std::clamp(x, -kFar, kFar)));
}

}  // namespace

const Image* Warp::image_of(const Instruction& in) {
  // Two small numbers: the bank and the place in it, in words.
  std::optional<u32> bank, handle;
  for (u32 i = 0; i < in.operand_count && !handle; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.role != Role::kAux) continue;
    if (operand.kind == OperandKind::kUniformRegister) {
      handle = operand.reg == sass::kURZ ? 0 : uregs_[operand.reg];
    } else if (operand.kind == OperandKind::kBits || operand.kind == OperandKind::kImmediate) {
      if (!bank) {
        bank = static_cast<u32>(operand.value);
      } else {
        const Word w =
            constant_at(static_cast<u8>(*bank), word(static_cast<u32>(operand.value) * 4), 4);
        handle = w[lowest(guard_.bits)];
      }
    }
  }
  if (shared_.outcome) return nullptr;
  if (!handle) {
    unmodelled(in);
    return nullptr;
  }
  for (const Image& image : shared_.launch.images)
    if (image.handle == *handle) return &image;
  stop(End::kUnmodelled,
       fmt::format("texture or surface {:#x} is not described to the emulator", *handle));
  return nullptr;
}

// One element for each lane of `lanes` at its address: `words` get its channels.
bool Warp::read_elements(const Image& image, u32 lanes, const Wide& address,
                         std::array<Word, 4>& words) {
  Reference ref;  // of no instruction: non-coherent
  ref.space = semantics::Space::kGlobal;
  ref.bytes = image.element_bytes();
  AccessData data;
  for (u32 w = 0; w < 4; ++w) data.words[w] = word(0);
  if (lanes != 0 && !global_access(ref, lanes, address, true, false, data, nullptr)) return false;
  const u32 bits = 8 * element_size(image.type);
  for (u32 channel = 0; channel < image.channels; ++channel)
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      const u32 at = channel * bits;
      const u32 raw = data.words[at / 32][lane] >> (at % 32);
      words[channel][lane] =
          (lanes >> lane & 1) == 0
              ? 0
              : channel_word(image, bits == 32 ? raw : raw & ((u32{1} << bits) - 1));
    }
  return true;
}

// TEX, TLD.
void Warp::fetch_texture(const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const Operand *first = in.find(Role::kDst), *second = in.find(Role::kDst2);
  const Operand* resident = in.find(Role::kPDst);
  const u32 axes = axes_of(in);
  if (!semantics::is_understood(in) || axes == 0 || a == nullptr || first == nullptr ||
      second == nullptr || in.operand_count == 0 ||
      (resident != nullptr && resident->reg != sass::kPT))
    return unmodelled(in);
  const Image* image = image_of(in);
  if (image == nullptr) return;
  const bool whole = in.opcode == Opcode::kTLD;  // integer coordinates, always in elements
  if ((whole && (image->linear || image->normalized_coordinates)) || image->axes > axes)
    return stop(End::kUnmodelled, "the texture as it was described cannot be fetched so");
  const u32 mask = static_cast<u32>(in.operands[in.operand_count - 1].value);
  if (mask == 0 || mask >= 16 || (mask >> image->channels) != 0)
    return stop(End::kUnmodelled, "a component that the texture does not have");
  // Coordinates, and for each axis the element below and the weight of the one above.
  std::array<Lanes<i64>, kMaxCoordinates> index;
  std::array<Lanes<float>, kMaxCoordinates> weight;
  const bool scalar = in.has(Field::kScalar, Value::kSCR);
  for (u32 axis = 0; axis < kMaxCoordinates; ++axis) {
    index[axis].lane.fill(0);
    weight[axis].lane.fill(0);
    if (axis >= image->axes) continue;
    const Operand* from = scalar && axis >= 2 ? b : a;
    if (from == nullptr || from->kind != OperandKind::kRegister) return unmodelled(in);
    const u32 n = scalar && axis >= 2 ? axis - 2 : axis;
    const Word x = from->reg == sass::kRZ ? word(0) : reg(static_cast<u8>(from->reg + n));
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      if (!guard_[lane]) continue;
      if (whole) {
        index[axis][lane] = static_cast<i32>(x[lane]);
        continue;
      }
      float place = std::bit_cast<float>(x[lane]);
      if (image->normalized_coordinates) {
        if (image->addressing == Addressing::kWrap) place -= std::floor(place);
        place *= static_cast<float>(image->size[axis]);
      }
      if (image->linear) {
        place -= 0.5f;
        const i64 below = floor_index(place);
        const float fraction = std::floor((place - static_cast<float>(below)) * 256.0f + 0.5f);
        weight[axis][lane] = std::isnan(fraction) ? 0 : std::clamp(fraction, 0.0f, 256.0f) / 256.0f;
        index[axis][lane] = below;
      } else {
        index[axis][lane] = floor_index(place);
      }
    }
  }
  // A fetch by whole numbers gives 0 outside.
  const Addressing addressing = whole ? Addressing::kBorder : image->addressing;
  std::array<Word, 4> result = {word(0), word(0), word(0), word(0)};
  std::array<Lanes<float>, 4> sum{};
  const u32 corners = image->linear ? u32{1} << image->axes : 1;
  for (u32 corner = 0; corner < corners; ++corner) {
    Wide address = wide(0);
    Lanes<float> share;
    u32 lanes = 0;
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      share[lane] = 1;
      if (!guard_[lane]) continue;
      bool inside = true;
      std::array<u32, kMaxCoordinates> at{};
      for (u32 axis = 0; axis < image->axes; ++axis) {
        const bool above = (corner >> axis & 1) != 0;
        const auto element =
            element_at(addressing, index[axis][lane] + (above ? 1 : 0), image->size[axis]);
        inside = inside && element.has_value();
        at[axis] = element.value_or(0);
        share[lane] *= above ? weight[axis][lane] : 1 - weight[axis][lane];
      }
      address[lane] = image->address + u64{at[0]} * image->element_bytes() +
                      (u64{at[1]} + u64{at[2]} * image->size[1]) * image->pitch;
      if (inside && (corner == 0 || share[lane] != 0)) lanes |= u32{1} << lane;
    }
    std::array<Word, 4> words = {word(0), word(0), word(0), word(0)};
    if (!read_elements(*image, lanes, address, words)) return;
    for (u32 channel = 0; channel < image->channels; ++channel) {
      if (corners == 1) result[channel] = words[channel];
      for (u32 lane = 0; corners != 1 && lane < kWarpSize; ++lane)
        sum[channel][lane] += share[lane] * std::bit_cast<float>(words[channel][lane]);
    }
  }
  if (corners != 1)
    for (u32 channel = 0; channel < image->channels; ++channel)
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        result[channel][lane] = std::bit_cast<u32>(sum[channel][lane]);
  u32 written = 0;
  for (u32 channel = 0; channel < 4; ++channel) {
    if ((mask >> channel & 1) == 0) continue;
    semantics::write_word(*this, written < 2 ? *first : *second, result[channel], written % 2);
    ++written;
  }
}

// SULD.D, SUST.D with byte addresses along x.
void Warp::access_surface(const Instruction& in) {
  const Operand *place = in.find(Role::kAddress), *data = in.find(Role::kB);
  const Operand* resident = in.find(Role::kPDst);
  const bool stores = in.opcode == Opcode::kSUST;
  const u32 axes = axes_of(in);
  const auto size = semantics::access_size(in);
  if (!semantics::is_understood(in) || axes == 0 || place == nullptr || !place->has_reg ||
      place->has_ureg || place->value != 0 || !size || !in.has(Field::kByteAddress, Value::kBA) ||
      (stores && data == nullptr) || (resident != nullptr && resident->reg != sass::kPT))
    return unmodelled(in);
  const Image* image = image_of(in);
  if (image == nullptr) return;
  if (image->axes != axes)
    return stop(End::kUnmodelled, "the surface as it was described cannot be accessed so");
  Wide address = wide(0);
  u32 lanes = 0;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    if (!guard_[lane] || shared_.outcome) continue;
    std::array<u32, kMaxCoordinates> at{};
    bool inside = true;
    for (u32 axis = 0; axis < axes; ++axis) {
      at[axis] = place->reg == sass::kRZ ? 0 : regs_[place->reg + axis][lane];
      const u64 limit =
          axis == 0 ? u64{image->size[0]} * image->element_bytes() : u64{image->size[axis]};
      inside = inside && u64{at[axis]} + (axis == 0 ? size->bytes : 1) <= limit;
    }
    if (inside) {
      lanes |= u32{1} << lane;
      address[lane] =
          image->address + at[0] + (u64{at[1]} + u64{at[2]} * image->size[1]) * image->pitch;
      continue;
    }
    if (in.has(Field::kClamp, Value::kTRAP))
      stop(End::kFault, fmt::format("surface access at ({}, {}, {}), outside", at[0], at[1], at[2]),
           lane);
    else if (!in.has(Field::kClamp, Value::kIGN))
      stop(End::kUnmodelled, "a clamped surface access outside", lane);
  }
  if (shared_.outcome) return;
  Reference ref;
  ref.space = semantics::Space::kGlobal;
  ref.bytes = size->bytes;
  const u32 count = (size->bytes + 3) / 4;
  AccessData words;
  for (u32 w = 0; w < count; ++w) words.words[w] = word(0);
  if (stores)
    for (u32 w = 0; w < count; ++w) words.words[w] = semantics::read_raw_word(*this, *data, w);
  if (lanes != 0 && !global_access(ref, lanes, address, !stores, stores, words, nullptr)) return;
  if (stores) return;
  for (u32 w = 0; w < count; ++w) {
    Word x = words.words[w];
    if (size->bytes < 4) {
      const u32 bits = 8 * size->bytes;
      x = size->is_signed ? field_signed(x, 0, bits) : field(x, 0, bits);
    }
    semantics::write_word(*this, *in.find(Role::kDst), x, w);
  }
}

}  // namespace picker::emulator
