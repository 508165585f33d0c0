// Textures and surfaces: kernels of data/textures.cu against the formulas of the CUDA programming
// guide, in double precision. Weights are multiples of 1/256 and elements small integers, so that
// the results are exact.
#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "tests/emulator/run_kernel.hpp"

namespace picker::emulator {
namespace {

constexpr u64 kImage = 0x7f00'0000'0000, kAt = kImage + 0x100000, kOut = kImage + 0x200000;
constexpr u32 kHandle = 5;

Image image_of(ElementType type, u32 channels, std::array<u32, 3> size, u32 axes) {
  Image image;
  image.handle = kHandle;
  image.address = kImage;
  image.type = type;
  image.channels = channels;
  image.size = size;
  image.axes = axes;
  image.pitch = u64{size[0]} * image.element_bytes();
  return image;
}

Launch launch_of(const Image& image, u32 threads, const Parameters& parameters) {
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.images = {image};
  launch.parameters = parameters.bytes();
  return launch;
}

class Textures : public testing::TestWithParam<const char*> {};

TEST_P(Textures, FetchesByNumberAndZeroOutside) {
  std::vector<float> in(20);
  for (u32 i = 0; i < 20; ++i) in[i] = static_cast<float>(i) + 0.5f;
  GlobalMemory memory;
  put(memory, kImage, in);
  memory.allocate(kOut, 128);
  const Launch launch = launch_of(image_of(ElementType::kFloat, 1, {20, 1, 1}, 1), 32,
                                  Parameters().add(u64{kHandle}).add(kOut).add(i32{-4}));
  const Outcome outcome = run_on("textures", GetParam(), "fetch", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<float>(memory, kOut, 32);
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 4 || i >= 24 ? 0.0f : in[i - 4]);
}

TEST_P(Textures, ElementsOfEveryTypeAreWidened) {
  const std::array<u8, 8> bytes = {0xff, 0x80, 1, 0x7f, 0, 0x90, 0x34, 0x12};
  GlobalMemory memory;
  put(memory, kImage, std::vector<u8>(bytes.begin(), bytes.end()));
  memory.allocate(kOut, 32);
  const auto run_with = [&](ElementType type, u32 count) {
    const Launch launch = launch_of(image_of(type, 4, {count, 1, 1}, 1), count,
                                    Parameters().add(u64{kHandle}).add(kOut));
    const Outcome outcome = run_on("textures", GetParam(), "fetch_words", launch, memory);
    EXPECT_EQ(outcome.end, End::kDone) << outcome.message;
    return get<i32>(memory, kOut, 4 * size_t{count});
  };
  EXPECT_EQ(run_with(ElementType::kSigned8, 2),
            (std::vector<i32>{-1, -128, 1, 127, 0, -112, 52, 18}));
  EXPECT_EQ(run_with(ElementType::kUnsigned8, 2),
            (std::vector<i32>{255, 128, 1, 127, 0, 144, 52, 18}));
  EXPECT_EQ(run_with(ElementType::kSigned16, 1), (std::vector<i32>{-32513, 32513, -28672, 4660}));
}

// The element of a texture of one axis with a border, by the guide's formulas.
TEST_P(Textures, LinesArePointedAtOrInterpolated) {
  std::vector<float> in = {3, 10, -6, 8, 100};
  const std::vector<float> at = {0,    0.5f, 0.75f, 1.0f, 2.25f,  4.5f,  4.75f, 5.0f,
                                 7.0f, -1,   -0.5f, 1.5f, 3.125f, 0.25f, 4.0f,  2.9375f};
  for (const bool linear : {false, true})
    for (const bool border : {false, true})
      for (const bool normalized : {false, true}) {
        GlobalMemory memory;
        put(memory, kImage, in);
        memory.allocate(kOut, 64);
        std::vector<float> scaled = at;
        if (normalized)
          for (float& x : scaled) x /= 5;
        put(memory, kAt, scaled);
        Image image = image_of(ElementType::kFloat, 1, {5, 1, 1}, 1);
        image.linear = linear;
        image.addressing = border ? Addressing::kBorder : Addressing::kClamp;
        image.normalized_coordinates = normalized;
        const Launch launch =
            launch_of(image, 16, Parameters().add(u64{kHandle}).add(kAt).add(kOut));
        const Outcome outcome = run_on("textures", GetParam(), "line", launch, memory);
        ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
        const auto out = get<float>(memory, kOut, 16);
        const auto element = [&](double i) {
          if (i >= 0 && i < 5) return double{in[static_cast<size_t>(i)]};
          return border ? 0.0 : double{i < 0 ? in[0] : in[4]};
        };
        for (u32 t = 0; t < 16; ++t) {
          const double x = at[t], below = std::floor(x - 0.5), fraction = x - 0.5 - below;
          const double wanted =
              linear ? (1 - fraction) * element(below) + fraction * element(below + 1)
                     : element(std::floor(x));
          // Dividing by 5 and multiplying again may miss a whole number by a little.
          if (normalized && !linear && x == std::floor(x)) continue;
          EXPECT_EQ(out[t], static_cast<float>(wanted))
              << at[t] << (linear ? " linear" : "") << (border ? " border" : "")
              << (normalized ? " normalized" : "");
        }
      }
}

TEST_P(Textures, PlanesInterpolateInBothDirections) {
  constexpr u32 kWidth = 4, kHeight = 3, kPitch = 48;
  std::vector<float> in(kPitch / 4 * kHeight, -1000.0f);
  const auto value = [](u32 x, u32 y, u32 channel) {
    return static_cast<double>(10 * x + 64 * y + 1000 * channel);
  };
  for (u32 y = 0; y < kHeight; ++y)
    for (u32 x = 0; x < kWidth; ++x)
      for (u32 c = 0; c < 2; ++c)
        in[y * (kPitch / 4) + 2 * x + c] = static_cast<float>(value(x, y, c));
  std::vector<float> at;
  for (u32 t = 0; t < 16; ++t) {
    at.push_back(0.5f + static_cast<float>(t % 4) * 0.75f);
    at.push_back(0.5f + static_cast<float>(t / 4) * 0.5f);
  }
  GlobalMemory memory;
  put(memory, kImage, in);
  put(memory, kAt, at);
  memory.allocate(kOut, 128);
  Image image = image_of(ElementType::kFloat, 2, {kWidth, kHeight, 1}, 2);
  image.pitch = kPitch;
  image.linear = true;
  const Launch launch = launch_of(image, 16, Parameters().add(u64{kHandle}).add(kAt).add(kOut));
  const Outcome outcome = run_on("textures", GetParam(), "plane", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<float>(memory, kOut, 32);
  // The values are linear in x and y, and interpolation gives linear functions back.
  for (u32 t = 0; t < 16; ++t)
    for (u32 c = 0; c < 2; ++c)
      EXPECT_EQ(out[2 * t + c],
                static_cast<float>(10 * (at[2 * t] - 0.5) + 64 * (at[2 * t + 1] - 0.5) + 1000 * c));
}

TEST_P(Textures, BytesWrapRoundAndAreNormalisedOnRequest) {
  std::vector<u8> in(4 * 4 * 2);
  for (u32 i = 0; i < in.size(); ++i) in[i] = static_cast<u8>(i * 7);
  const std::vector<float> at = {0.125f, 0.25f, 1.375f, -0.25f, -0.125f, 2.75f, 0.625f, 0.75f};
  GlobalMemory memory;
  put(memory, kImage, in);
  put(memory, kAt, at);
  memory.allocate(kOut, 64);
  Image image = image_of(ElementType::kUnsigned8, 4, {4, 2, 1}, 2);
  image.addressing = Addressing::kWrap;
  image.normalized_coordinates = true;
  Launch launch = launch_of(image, 4, Parameters().add(u64{kHandle}).add(kAt).add(kOut));
  Outcome outcome = run_on("textures", GetParam(), "plane_bytes", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<u8>(memory, kOut, 16);
  const u32 columns[] = {0, 1, 3, 2}, rows[] = {0, 1, 1, 1};
  for (u32 t = 0; t < 4; ++t)
    for (u32 c = 0; c < 4; ++c)
      EXPECT_EQ(out[4 * t + c], in[(rows[t] * 4 + columns[t]) * 4 + c]) << t << " " << c;
  // As floats from 0 to 1, two channels.
  image.channels = 2;
  image.size = {4, 2, 1};
  image.pitch = 16;
  image.normalized_values = true;
  launch.images = {image};
  outcome = run_on("textures", GetParam(), "plane", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto values = get<float>(memory, kOut, 8);
  for (u32 t = 0; t < 4; ++t)
    for (u32 c = 0; c < 2; ++c)
      EXPECT_EQ(values[2 * t + c],
                static_cast<float>(in[rows[t] * 16 + columns[t] * 2 + c]) / 255.0f);
}

TEST_P(Textures, SpaceHasSlices) {
  constexpr u32 kX = 3, kY = 2, kZ = 4;
  std::vector<u16> in;  // halves: 1024 + i is exact, 0x6400 its pattern
  for (u32 i = 0; i < kX * kY * kZ * 4; ++i) in.push_back(static_cast<u16>(0x6400 + i));
  std::vector<float> at;
  for (u32 t = 0; t < 24; ++t) {
    at.push_back(static_cast<float>(t % kX) + 0.3f);
    at.push_back(static_cast<float>(t / kX % kY) + 0.6f);
    at.push_back(static_cast<float>(t / kX / kY) + 0.9f);
    at.push_back(0);
  }
  GlobalMemory memory;
  put(memory, kImage, in);
  put(memory, kAt, at);
  memory.allocate(kOut, 24 * 16);
  const Launch launch = launch_of(image_of(ElementType::kHalf, 4, {kX, kY, kZ}, 3), 24,
                                  Parameters().add(u64{kHandle}).add(kAt).add(kOut));
  const Outcome outcome = run_on("textures", GetParam(), "space", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<float>(memory, kOut, 96);
  for (u32 i = 0; i < 96; ++i) EXPECT_EQ(out[i], static_cast<float>(1024 + i));
}

TEST_P(Textures, SurfacesAreReadAndWritten) {
  std::vector<i32> in(8 * 3);
  for (u32 i = 0; i < in.size(); ++i) in[i] = static_cast<i32>(100 * i);
  GlobalMemory memory;
  put(memory, kImage, in);
  const Image image = image_of(ElementType::kWord, 1, {8, 3, 1}, 2);
  const auto raise = [&](i32 row, i32 zero) {
    return run_on("textures", GetParam(), "raise",
                  launch_of(image, 8, Parameters().add(u64{kHandle}).add(row).add(zero)), memory);
  };
  Outcome outcome = raise(0, 0);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  EXPECT_EQ(get<i32>(memory, kImage, 24)[8 + 3], 301);
  outcome = raise(2, 0);  // row 3 is outside
  EXPECT_EQ(outcome.end, End::kFault);
  EXPECT_THAT(outcome.message, testing::HasSubstr("surface access at (0, 3, 0), outside"));
  outcome = raise(2, 1);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  outcome = raise(-1, 1);  // zeros come from above
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<i32>(memory, kImage, 24);
  EXPECT_EQ(out[5], 1);
  EXPECT_EQ(out[8 + 5], 501);
  EXPECT_EQ(out[16 + 5], 2100);
}

TEST_P(Textures, SurfacesOfOneAxisTakeParts) {
  const std::vector<i16> in = {1, 2, -3, 4, 200, 55, 0, 7};
  GlobalMemory memory;
  put(memory, kImage, in);
  const Outcome outcome = run_on(
      "textures", GetParam(), "pairs",
      launch_of(image_of(ElementType::kWord, 1, {4, 1, 1}, 1), 4, Parameters().add(u64{kHandle})),
      memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<u8>(memory, kImage, 16);
  for (u32 t = 0; t < 4; ++t) {
    EXPECT_EQ(out[4 * t + 3], static_cast<u8>(in[2 * t] + in[2 * t + 1]));
    EXPECT_EQ(out[4 * t], static_cast<u8>(in[2 * t]));
  }
}

TEST_P(Textures, AnUnknownHandleStopsTheLaunch) {
  GlobalMemory memory;
  Launch launch = launch_of(image_of(ElementType::kFloat, 1, {20, 1, 1}, 1), 32,
                            Parameters().add(u64{kHandle + 1}).add(kOut).add(i32{0}));
  const Outcome outcome = run_on("textures", GetParam(), "fetch", launch, memory);
  EXPECT_EQ(outcome.end, End::kUnmodelled);
  EXPECT_THAT(outcome.message, testing::HasSubstr("texture or surface 0x6 is not described"));
}

INSTANTIATE_TEST_SUITE_P(Families, Textures,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_90", "sm_100", "sm_120"));

}  // namespace
}  // namespace picker::emulator
