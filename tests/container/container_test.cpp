// Fatbins, host files and archives. The fatbins come from nvcc; host ELF files and archives around
// them are put together here, so that they are small and can be damaged at will.
#include "container/container.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <random>

#include "tests/container/elf_builder.hpp"
#include "tests/container/files.hpp"

namespace picker::container {
namespace {

using test::append;
using test::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPairs[] = {"tests/container/data/pair_none.fatbin",
                                  "tests/container/data/pair_lz4.fatbin",
                                  "tests/container/data/pair_zstd.fatbin"};

Expected<Container> parse(const Bytes& bytes) { return Container::parse(own(bytes), "t"); }

std::string error_of(const Bytes& bytes) {
  const Expected<Container> container = parse(bytes);
  return container ? "parsed" : container.error().message;
}

// A fatbin with one entry.
Bytes one_entry(u16 kind, u64 flags, const Bytes& payload, u64 decompressed_size) {
  Bytes fatbin;
  append<u32>(fatbin, 0xba55ed50);
  append<u16>(fatbin, 1);
  append<u16>(fatbin, 16);
  append<u64>(fatbin, 64 + payload.size());
  append<u16>(fatbin, kind);
  append<u16>(fatbin, 0x101);
  append<u32>(fatbin, 64);
  append<u64>(fatbin, payload.size());
  append<u32>(fatbin, static_cast<u32>(payload.size()));
  append<u32>(fatbin, 0);
  append<u32>(fatbin, 0);
  append<u32>(fatbin, 80);
  append<u64>(fatbin, 0);
  append<u64>(fatbin, flags);
  append<u64>(fatbin, 0);
  append<u64>(fatbin, decompressed_size);
  fatbin.insert(fatbin.end(), payload.begin(), payload.end());
  return fatbin;
}

Bytes host_elf(const std::vector<std::pair<std::string, Bytes>>& sections, u16 machine = 62) {
  test::ElfBuilder elf;
  elf.machine = machine;
  elf.os_abi = 0;
  elf.abi_version = 0;
  for (const auto& [name, content] : sections) elf.sections.push_back({name, 1, content, 0, 0, 0});
  return elf.build();
}

void append_member(Bytes& archive, std::string name, const Bytes& content) {
  std::string size = std::to_string(content.size());
  name.resize(48, ' ');
  size.resize(10, ' ');
  const std::string header = name + size + "`\n";
  archive.insert(archive.end(), header.begin(), header.end());
  archive.insert(archive.end(), content.begin(), content.end());
  if (content.size() % 2 != 0) archive.push_back('\n');
}

Bytes text(std::string_view string) { return Bytes(string.begin(), string.end()); }

std::vector<std::string> architectures(const Container& container) {
  std::vector<std::string> names;
  for (const Image& image : container.images()) names.push_back(image.architecture);
  return names;
}

// Names and order: cuobjdump -lelf and -lptx.
TEST(Fatbin, ImagesInEveryFormOfCompression) {
  const Compression expected[] = {Compression::kNone, Compression::kLz4, Compression::kZstd};
  for (size_t i = 0; i < 3; ++i) {
    const Expected<Container> container = parse(test::read_file(kPairs[i]));
    ASSERT_TRUE(container) << container.error().message;
    EXPECT_EQ(container->kind(), ContainerKind::kFatbin);
    EXPECT_THAT(architectures(*container), ElementsAre("sm_75", "sm_90a", "sm_120", "compute_120"));
    EXPECT_EQ(container->images()[3].kind, ImageKind::kPtx);
    for (const Image& image : container->images()) EXPECT_EQ(image.compression, expected[i]);
  }
}

TEST(Fatbin, CompressedImagesEqualTheUncompressed) {
  const Expected<Container> plain = parse(test::read_file(kPairs[0]));
  ASSERT_TRUE(plain);
  for (const char* file : {kPairs[1], kPairs[2]}) {
    const Expected<Container> packed = parse(test::read_file(file));
    ASSERT_TRUE(packed);
    for (size_t i = 0; i < 4; ++i) {
      const Expected<OwnedBytes> a = plain->bytes(plain->images()[i]);
      const Expected<OwnedBytes> b = packed->bytes(packed->images()[i]);
      ASSERT_TRUE(a && b) << file << " " << i;
      // Stored plain, an entry is padded to 8 bytes with zeros.
      ASSERT_LE(a->bytes.size() - b->bytes.size(), 7u) << file << " " << i;
      EXPECT_TRUE(
          std::equal(b->bytes.bytes().begin(), b->bytes.bytes().end(), a->bytes.bytes().begin()))
          << file << " " << i;
    }
    const Expected<Cubin> cubin = packed->cubin(packed->images()[1]);
    ASSERT_TRUE(cubin);
    EXPECT_EQ(cubin->sm(), 90u);
    EXPECT_NE(cubin->find("_Z5scalePffi"), nullptr);
  }
}

TEST(Fatbin, PtxIsText) {
  const Expected<Container> container = parse(test::read_file(kPairs[2]));
  ASSERT_TRUE(container);
  const Expected<OwnedBytes> ptx = container->bytes(container->images()[3]);
  ASSERT_TRUE(ptx);
  const std::string code(ptx->bytes.bytes().begin(), ptx->bytes.bytes().end());
  EXPECT_THAT(code, HasSubstr(".target sm_120"));
  EXPECT_THAT(code, HasSubstr(".entry _Z3addPKfS0_Pfi("));
}

TEST(Fatbin, ImagesOutliveTheContainer) {
  Expected<Cubin> cubin = malformed("");
  {
    const Expected<Container> container = parse(test::read_file(kPairs[0]));
    cubin = container->cubin(container->images()[0]);
  }
  ASSERT_TRUE(cubin);
  u32 sum = 0;
  for (const u8 byte : cubin->kernels()[0].code.bytes()) sum += byte;
  EXPECT_NE(sum, 0u);
}

TEST(Fatbin, Variants) {
  const auto architecture = [](u16 kind, u64 flags) {
    const Expected<Container> container = parse(one_entry(kind, flags, Bytes(8, 1), 0));
    return container ? container->images()[0].architecture : container.error().message;
  };
  EXPECT_EQ(architecture(2, 0x11), "sm_80");
  EXPECT_EQ(architecture(2, 0x100011), "sm_80a");
  EXPECT_EQ(architecture(1, 0x200011), "compute_80f");
  EXPECT_EQ(architecture(8, 0x11), "lto_80");
  EXPECT_EQ(architecture(77, 0x11), "kind_80");
}

TEST(Fatbin, SeveralWithPaddingBetween) {
  const Bytes pair = test::read_file(kPairs[1]);
  Bytes two = pair;
  two.insert(two.end(), 24, 0);
  two.insert(two.end(), pair.begin(), pair.end());
  const Expected<Container> container = parse(two);
  ASSERT_TRUE(container) << container.error().message;
  EXPECT_EQ(container->images().size(), 8u);
  two[pair.size() + 3] = 1;
  EXPECT_THAT(error_of(two), HasSubstr("no fatbin magic"));
}

TEST(FatbinErrors, Damaged) {
  const Bytes good = one_entry(2, 0x11, Bytes(64, 7), 0);
  EXPECT_EQ(error_of(good), "parsed");
  Bytes bytes = good;
  bytes[4] = 2;
  EXPECT_THAT(error_of(bytes), HasSubstr("version 2, expected 1"));
  bytes = good;
  bytes[8] += 1;  // content one byte longer than the file
  EXPECT_THAT(error_of(bytes), HasSubstr("exceed the"));
  bytes = good;
  bytes[16 + 8] += 1;  // payload one byte longer than the fatbin
  EXPECT_THAT(error_of(bytes), HasSubstr("exceed the fatbin"));
  bytes = good;
  bytes[16 + 2] = 2;
  EXPECT_THAT(error_of(bytes), HasSubstr("version 0x102"));
  bytes = one_entry(2, 0x2011, Bytes(64, 7), 64);
  bytes[16 + 16] = 65;  // compressed size beyond the payload
  EXPECT_THAT(error_of(bytes), HasSubstr("compressed size 65"));
}

TEST(Decompress, Bombs) {
  const auto refused = [](u64 flags, const Bytes& payload, u64 size) {
    const Expected<Container> container = parse(one_entry(2, flags, payload, size));
    if (!container) return container.error().message;
    const Expected<OwnedBytes> bytes = container->bytes(container->images()[0]);
    return bytes ? std::string("accepted") : bytes.error().message;
  };
  const Bytes zeros(1 << 20, 0);
  Bytes lz4(LZ4_compressBound(1 << 20));
  lz4.resize(LZ4_compress_default(reinterpret_cast<const char*>(zeros.data()),
                                  reinterpret_cast<char*>(lz4.data()), 1 << 20,
                                  static_cast<int>(lz4.size())));
  Bytes zstd(ZSTD_compressBound(1 << 20));
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), zeros.data(), zeros.size(), 1));
  EXPECT_EQ(refused(0x2011, lz4, 1 << 20), "accepted");
  EXPECT_EQ(refused(0x8011, zstd, 1 << 20), "accepted");
  for (const u64 wrong : {(u64{1} << 20) - 1, (u64{1} << 20) + 1}) {
    EXPECT_THAT(refused(0x2011, lz4, wrong), HasSubstr("compressed data"));
    EXPECT_THAT(refused(0x8011, zstd, wrong), HasSubstr("compressed data"));
  }
  // Sizes out of all proportion are refused before any memory is taken.
  for (const u64 huge : {u64{1} << 31, u64{1} << 40, ~u64{0}}) {
    EXPECT_THAT(refused(0x2011, lz4, huge), HasSubstr("cannot stand for"));
    EXPECT_THAT(refused(0x8011, zstd, huge), HasSubstr("cannot stand for"));
  }
  EXPECT_THAT(refused(0x8011, Bytes(64, 7), 64), HasSubstr("no Zstandard frame"));
  EXPECT_THAT(refused(0x2011, Bytes(64, 0xff), 64), HasSubstr("damaged LZ4 block"));
  EXPECT_THAT(refused(0xa011, zstd, 1 << 20), HasSubstr("not known"));
  EXPECT_THAT(refused(0x1011, zstd, 1 << 20), HasSubstr("not known"));
  zstd[zstd.size() / 2] ^= 0xff;
  EXPECT_THAT(refused(0x8011, zstd, 1 << 20), HasSubstr("compressed data"));
}

TEST(HostElf, BothSections) {
  const Bytes pair = test::read_file(kPairs[2]);
  const Bytes file =
      host_elf({{".text", Bytes(16, 0x90)}, {".nv_fatbin", pair}, {"__nv_relfatbin", pair}});
  const Expected<Container> container = parse(file);
  ASSERT_TRUE(container) << container.error().message;
  EXPECT_EQ(container->kind(), ContainerKind::kHost);
  ASSERT_EQ(container->images().size(), 8u);
  EXPECT_FALSE(container->images()[0].linkable);
  EXPECT_EQ(container->images()[0].name, ".nv_fatbin+0x10");
  EXPECT_TRUE(container->images()[4].linkable);
  EXPECT_EQ(container->images()[4].name, "__nv_relfatbin+0x10");
}

TEST(HostElf, OtherMachinesAndNoDeviceCode) {
  const Bytes pair = test::read_file(kPairs[2]);
  EXPECT_EQ(error_of(host_elf({{".nv_fatbin", pair}}, 183)), "parsed");
  EXPECT_THAT(error_of(host_elf({{".nv_fatbin", pair}}, 40)), HasSubstr("ELF for machine 40"));
  const Expected<Container> none = parse(host_elf({{".text", Bytes(16, 0x90)}}));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->images().empty());
}

TEST(Archive, Members) {
  const Bytes object = host_elf({{"__nv_relfatbin", test::read_file(kPairs[1])}});
  Bytes archive = text("!<arch>\n");
  append_member(archive, "/", Bytes(13, 0));  // symbol table of odd size: padded
  append_member(archive, "//", text("a_name_of_more_than_fifteen.o/\nanother_such_name.o/\n"));
  append_member(archive, "short.o/", object);
  append_member(archive, "readme.txt/", text("text"));
  append_member(archive, "/31", object);
  const Expected<Container> container = parse(archive);
  ASSERT_TRUE(container) << container.error().message;
  EXPECT_EQ(container->kind(), ContainerKind::kArchive);
  ASSERT_EQ(container->images().size(), 8u);
  EXPECT_EQ(container->images()[0].name, "short.o: __nv_relfatbin+0x10");
  EXPECT_EQ(container->images()[4].name, "another_such_name.o: __nv_relfatbin+0x10");
}

TEST(Archive, Damaged) {
  const Bytes object = host_elf({{".nv_fatbin", test::read_file(kPairs[1])}});
  Bytes archive = text("!<arch>\n");
  append_member(archive, "a.o/", object);
  EXPECT_EQ(error_of(archive), "parsed");
  Bytes cut(archive.begin(), archive.end() - 2);  // one may be padding
  EXPECT_THAT(error_of(cut), HasSubstr("exceeds the archive"));
  Bytes bad = archive;
  bad[8 + 58] = '!';
  EXPECT_THAT(error_of(bad), HasSubstr("header does not end as one"));
  bad = archive;
  bad[8 + 48] = 'x';
  EXPECT_THAT(error_of(bad), HasSubstr("not a number"));
  bad = text("!<arch>\n");
  append_member(bad, "/5", object);  // a long name without a table of names
  EXPECT_THAT(error_of(bad), HasSubstr("outside the table of names"));
  EXPECT_THAT(error_of(text("!<thin>\n")), HasSubstr("thin archive"));
  Bytes member = host_elf({{".nv_fatbin", Bytes(8, 1)}});
  archive = text("!<arch>\n");
  append_member(archive, "broken.o/", member);
  EXPECT_THAT(error_of(archive), HasSubstr("broken.o: .nv_fatbin: fatbin at offset 0x0"));
}

TEST(ContainerErrors, NeitherOfThese) {
  EXPECT_THAT(error_of({}), HasSubstr("neither ELF, fatbin nor archive"));
  EXPECT_THAT(error_of(text("hello")), HasSubstr("neither ELF, fatbin nor archive"));
}

// Whatever the bytes, no crash; run with the sanitizers also no access outside.
u64 exercise(const Bytes& bytes) {
  const Expected<Container> container = parse(Bytes(bytes));
  if (!container) return 0;
  u64 kernels = 0;
  for (const Image& image : container->images()) {
    if (image.kind != ImageKind::kCubin || image.size > (u64{1} << 24)) continue;
    if (const Expected<Cubin> cubin = container->cubin(image)) kernels += cubin->kernels().size();
  }
  return kernels;
}

TEST(Robustness, ContainersCutAndFlipped) {
  constexpr u32 kSeed = 20260102;
  std::mt19937 random(kSeed);
  Bytes archive = text("!<arch>\n");
  append_member(archive, "a.o/", host_elf({{".nv_fatbin", test::read_file(kPairs[1])}}));
  append_member(archive, "b.o/", host_elf({{"__nv_relfatbin", test::read_file(kPairs[2])}}));
  for (const Bytes& whole : {test::read_file(kPairs[1]), test::read_file(kPairs[2]), archive}) {
    EXPECT_GT(exercise(whole), 0u);
    for (size_t length = 0; length < whole.size(); ++length) {
      const Bytes cut(whole.begin(), whole.begin() + length);
      if (length % 16 == 0) exercise(cut);
      if (length != 8 && length < whole.size() / 2) {
        EXPECT_FALSE(parse(cut)) << length;
      }
    }
    u32 good = 0;
    for (u32 round = 0; round < 500; ++round) {
      Bytes damaged = whole;
      for (u32 i = 0; i <= round % 4; ++i)
        damaged[random() % damaged.size()] ^= static_cast<u8>(1u << (random() % 8));
      good += exercise(damaged) != 0;
    }
    EXPECT_GT(good, 100u) << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace picker::container
