// Cubins from the compiler. Expected values were read from cuobjdump -elf and readelf.
#include "container/cubin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/container/elf_builder.hpp"
#include "tests/container/files.hpp"

namespace picker::container {
namespace {

using test::Bytes;
using test::ElfBuilder;
using test::one_kernel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Loaded {
  Bytes bytes;
  Cubin cubin;
};

Loaded load(const std::string& name) {
  Loaded loaded{test::read_file("tests/container/data/" + name), {}};
  Expected<Cubin> cubin = Cubin::parse(Slice(loaded.bytes), name);
  if (!cubin) throw std::runtime_error(cubin.error().message);
  loaded.cubin = std::move(*cubin);
  return loaded;
}

std::string error_of(const Bytes& bytes) {
  const Expected<Cubin> cubin = Cubin::parse(Slice(bytes), "t.cubin");
  return cubin ? "parsed" : cubin.error().message;
}

TEST(Cubin, ArchitectureInBothFlavours) {
  EXPECT_EQ(load("features.sm_70.cubin").cubin.sm(), 70u);  // old flavour
  EXPECT_EQ(load("features.sm_75.cubin").cubin.sm(), 75u);
  EXPECT_EQ(load("features.sm_90.cubin").cubin.sm(), 90u);
  EXPECT_EQ(load("features.sm_100.cubin").cubin.sm(), 100u);
  EXPECT_EQ(load("features.sm_120.cubin").cubin.sm(), 120u);
}

TEST(Cubin, KernelsOfSm75) {
  const Loaded loaded = load("features.sm_75.cubin");
  std::vector<std::string> names;
  for (const Kernel& kernel : loaded.cubin.kernels()) names.push_back(kernel.name);
  EXPECT_THAT(names, ElementsAre("_Z7nothingv", "_Z5large5LargePic", "_Z8assertedPi",
                                 "_Z8switchedPii9Structurecsd", "_Z7boundedPKfPfi"));
  EXPECT_EQ(loaded.cubin.find("_Z9clusteredPi"), nullptr);
  EXPECT_FALSE(loaded.cubin.relocatable());
}

TEST(Cubin, ParametersAndBank) {
  const Loaded loaded = load("features.sm_75.cubin");
  const Kernel& kernel = *loaded.cubin.find("_Z8switchedPii9Structurecsd");
  EXPECT_EQ(kernel.parameter_base, 0x160u);
  EXPECT_EQ(kernel.parameter_size, 0x48u);
  EXPECT_EQ(kernel.constant0_size, 0x1a8u);
  ASSERT_EQ(kernel.parameters.size(), 6u);
  const u32 offsets[] = {0x0, 0x8, 0x10, 0x38, 0x3a, 0x40};
  const u32 sizes[] = {8, 4, 0x28, 1, 2, 8};
  for (u32 i = 0; i < 6; ++i) {
    EXPECT_EQ(kernel.parameters[i].ordinal, i);
    EXPECT_EQ(kernel.parameters[i].offset, offsets[i]);
    EXPECT_EQ(kernel.parameters[i].size, sizes[i]);
  }
}

TEST(Cubin, ParameterBaseOfEveryFamily) {
  const struct {
    const char* file;
    u32 base, large_base;
  } cases[] = {{"features.sm_70.cubin", 0x160, 0x1a80}, {"features.sm_75.cubin", 0x160, 0x1a80},
               {"features.sm_80.cubin", 0x160, 0x1a80}, {"features.sm_90.cubin", 0x210, 0x210},
               {"features.sm_100.cubin", 0x380, 0x380}, {"features.sm_120.cubin", 0x380, 0x380}};
  for (const auto& c : cases) {
    const Loaded loaded = load(c.file);
    EXPECT_EQ(loaded.cubin.find("_Z7boundedPKfPfi")->parameter_base, c.base) << c.file;
    const Kernel& large = *loaded.cubin.find("_Z5large5LargePic");
    EXPECT_EQ(large.parameter_base, c.large_base) << c.file;
    EXPECT_EQ(large.parameter_size, 0x1391u) << c.file;
    ASSERT_EQ(large.parameters.size(), 3u) << c.file;
    EXPECT_EQ(large.parameters[0].size, 5000u) << c.file;
    EXPECT_EQ(large.parameters[2].offset, 0x1390u) << c.file;
    const Kernel& nothing = *loaded.cubin.find("_Z7nothingv");
    EXPECT_EQ(nothing.parameter_base, c.base) << c.file;
    EXPECT_EQ(nothing.parameter_size, 0u) << c.file;
    EXPECT_THAT(nothing.parameters, IsEmpty()) << c.file;
  }
}

TEST(Cubin, CodeAndResources) {
  const Loaded loaded = load("features.sm_75.cubin");
  const Kernel& switched = *loaded.cubin.find("_Z8switchedPii9Structurecsd");
  EXPECT_EQ(switched.code.size(), 0x1480u);
  EXPECT_EQ(switched.code.data(), loaded.bytes.data() + 0x7380);
  EXPECT_EQ(switched.register_count, 21u);
  EXPECT_EQ(switched.static_shared_size, 0x100u);
  EXPECT_EQ(switched.barrier_count, 1u);
  EXPECT_EQ(switched.constant2.size(), 0x38u);
  EXPECT_THAT(switched.exit_offsets, ElementsAre(0x670));
  const Kernel& asserted = *loaded.cubin.find("_Z8assertedPi");
  EXPECT_EQ(asserted.frame_size, 8u);
  EXPECT_EQ(asserted.min_stack_size, 8u);
  EXPECT_THAT(asserted.syscall_offsets, ElementsAre(0x120, 0x280));
  ASSERT_EQ(asserted.externs.size(), 2u);
  EXPECT_EQ(loaded.cubin.symbols()[asserted.externs[0]].name, "vprintf");
  EXPECT_EQ(loaded.cubin.symbols()[asserted.externs[1]].name, "__assertfail");
  EXPECT_FALSE(loaded.cubin.symbols()[asserted.externs[1]].defined());
  for (const Kernel& kernel : loaded.cubin.kernels())
    EXPECT_THAT(kernel.unknown_attributes, IsEmpty()) << kernel.name;
}

TEST(Cubin, DeviceFunctionsInTheSameSection) {
  const Loaded loaded = load("features.sm_75.cubin");
  const Kernel& kernel = *loaded.cubin.find("_Z8switchedPii9Structurecsd");
  ASSERT_EQ(kernel.functions.size(), 3u);
  EXPECT_EQ(kernel.functions[0].name, "$_Z8switchedPii9Structurecsd$_Z6helperfi");
  EXPECT_EQ(kernel.functions[0].offset, 0x680u);
  EXPECT_EQ(kernel.functions[0].size, 1408u);
  EXPECT_EQ(kernel.functions[2].name, "$__internal_1_$__cuda_sm20_rcp_rn_f32_slowpath");
  EXPECT_EQ(kernel.functions[2].offset, 0x1100u);
  EXPECT_THAT(loaded.cubin.find("_Z7boundedPKfPfi")->functions, IsEmpty());
}

TEST(Cubin, IndirectBranches) {
  const Loaded loaded = load("features.sm_75.cubin");
  const auto& branches = loaded.cubin.find("_Z8switchedPii9Structurecsd")->indirect_branches;
  ASSERT_EQ(branches.size(), 3u);
  EXPECT_EQ(branches[0].branch_offset, 0x120u);
  EXPECT_THAT(branches[0].targets, ElementsAre(0x160, 0x130, 0x4d0));
  EXPECT_EQ(branches[2].branch_offset, 0x370u);
  EXPECT_THAT(branches[2].targets, ElementsAre(0x3b0, 0x380, 0x4d0));
}

TEST(Cubin, LaunchLimits) {
  const Loaded loaded = load("features.sm_100.cubin");
  const Kernel& bounded = *loaded.cubin.find("_Z7boundedPKfPfi");
  ASSERT_TRUE(bounded.max_threads);
  EXPECT_EQ(bounded.max_threads->x, 256u);
  EXPECT_FALSE(bounded.blocks_per_cluster);
  const Kernel& clustered = *loaded.cubin.find("_Z9clusteredPi");
  EXPECT_TRUE(clustered.explicit_cluster);
  ASSERT_TRUE(clustered.blocks_per_cluster);
  EXPECT_EQ(clustered.blocks_per_cluster->x, 2u);
  EXPECT_EQ(clustered.blocks_per_cluster->y, 1u);
  EXPECT_FALSE(clustered.max_threads);
}

// REL in the file for sm_75, RELA in that for sm_90.
TEST(Cubin, Constant4EntriesNameSymbols) {
  for (const char* file : {"features.sm_70.cubin", "features.sm_75.cubin", "features.sm_90.cubin",
                           "features.sm_120.cubin"}) {
    const Loaded loaded = load(file);
    std::vector<std::string> names;
    for (u64 offset = 0; offset < loaded.cubin.constant4().size(); offset += 8) {
      const std::optional<ResolvedRelocation> entry = loaded.cubin.constant4_entry(offset);
      ASSERT_TRUE(entry) << file << " " << offset;
      EXPECT_EQ(entry->addend, 0);
      EXPECT_EQ(entry->symbol_defined,
                entry->symbol_name != "vprintf" && entry->symbol_name != "__assertfail");
      names.emplace_back(entry->symbol_name);
    }
    EXPECT_THAT(names, ElementsAre("counter", "initialised", "__unnamed_1", "$str", "$str$1",
                                   "$str$2", "vprintf", "__assertfail"))
        << file;
    EXPECT_FALSE(loaded.cubin.constant4_entry(4));   // half of one, half of the next
    EXPECT_FALSE(loaded.cubin.constant4_entry(64));  // past the end
  }
}

TEST(Cubin, Variables) {
  const Loaded loaded = load("features.sm_75.cubin");
  ASSERT_EQ(loaded.cubin.constant3_variables().size(), 1u);
  EXPECT_EQ(loaded.cubin.constant3_variables()[0].name, "table");
  EXPECT_EQ(loaded.cubin.constant3_variables()[0].size, 64u);
  EXPECT_EQ(loaded.cubin.constant3().size(), 64u);
  bool counter = false, initialised = false;
  for (const Variable& variable : loaded.cubin.globals()) {
    if (variable.name == "counter") {
      counter = true;
      EXPECT_EQ(variable.size, 4u);
      EXPECT_TRUE(variable.initial.empty());
    }
    if (variable.name == "initialised") {
      initialised = true;
      ASSERT_EQ(variable.initial.size(), 16u);
      EXPECT_EQ(variable.initial.read<u32>(12), 4u);
    }
  }
  EXPECT_TRUE(counter && initialised);
}

// From readelf --debug-dump=decodedline.
TEST(Cubin, SourceLines) {
  const Loaded loaded = load("features.sm_75.cubin");
  const Kernel& bounded = *loaded.cubin.find("_Z7boundedPKfPfi");
  const Kernel& switched = *loaded.cubin.find("_Z8switchedPii9Structurecsd");
  const auto line = [&](const Kernel& kernel, u64 offset) {
    const std::optional<SourceLine> location = loaded.cubin.source_location(kernel, offset);
    return location ? location->line : 0;
  };
  EXPECT_EQ(line(bounded, 0x00), 23u);
  EXPECT_EQ(line(bounded, 0x10), 24u);
  EXPECT_EQ(line(bounded, 0x30), 24u);
  EXPECT_EQ(line(bounded, 0x40), 25u);
  EXPECT_EQ(line(bounded, 0xc0), 26u);
  EXPECT_EQ(line(bounded, 0xf0), 26u);
  EXPECT_EQ(line(bounded, 0x100), 0u);  // past the end of the kernel
  EXPECT_EQ(line(switched, 0x260), 35u);
  EXPECT_EQ(line(switched, 0x1e0), 107u);  // in a header: an atomic
  const std::optional<SourceLine> header = loaded.cubin.source_location(switched, 0x1e0);
  EXPECT_THAT(loaded.cubin.line_table().files()[header->file],
              HasSubstr("device_atomic_functions.hpp"));
  const std::optional<SourceLine> own = loaded.cubin.source_location(switched, 0x250);
  EXPECT_THAT(loaded.cubin.line_table().files()[own->file], HasSubstr("features.cu"));
}

TEST(Cubin, RelocatableCodeIsSaidToBe) {
  const Loaded loaded = load("relocatable.sm_75.cubin");
  EXPECT_TRUE(loaded.cubin.relocatable());
  const Kernel& kernel = *loaded.cubin.find("_Z8assertedPi");
  bool call = false;
  for (const ResolvedRelocation& relocation : kernel.relocations)
    if (relocation.type == kRelocationCall47 && relocation.symbol_name == "__assertfail") {
      call = true;
      EXPECT_FALSE(relocation.symbol_defined);
    }
  EXPECT_TRUE(call);
}

TEST(Cubin, HandMade) {
  const Bytes bytes = one_kernel().build();
  const Expected<Cubin> cubin = Cubin::parse(Slice(bytes), "t.cubin");
  ASSERT_TRUE(cubin) << cubin.error().message;
  ASSERT_EQ(cubin->kernels().size(), 1u);
  const Kernel& kernel = cubin->kernels()[0];
  EXPECT_EQ(kernel.sm, 80u);
  EXPECT_EQ(kernel.parameters.size(), 2u);
  EXPECT_EQ(kernel.parameters[1].offset, 8u);
  EXPECT_THAT(kernel.unknown_attributes, IsEmpty());
}

TEST(Cubin, UnknownAttributesAreListed) {
  ElfBuilder elf = one_kernel();
  test::append_attribute(elf.sections[1].content, 0x7e, {1});
  test::append_attribute(elf.sections[1].content, 0x2d, {1});
  test::append_attribute(elf.sections[1].content, 0x7e, {});
  const Bytes bytes = elf.build();
  const Expected<Cubin> cubin = Cubin::parse(Slice(bytes), "t.cubin");
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_THAT(cubin->kernels()[0].unknown_attributes, ElementsAre(0x2d, 0x7e));
}

TEST(Cubin, AnnotationsOfSpillsAreUnderstoodOthersAreNot) {
  for (const u32 kind : {1u, 2u}) {
    ElfBuilder elf = one_kernel();
    test::append_attribute(elf.sections[1].content, 0x55, {1, 0x10, kind, 0x20});
    const Bytes bytes = elf.build();
    const Expected<Cubin> cubin = Cubin::parse(Slice(bytes), "t.cubin");
    ASSERT_TRUE(cubin) << cubin.error().message;
    EXPECT_EQ(cubin->kernels()[0].unknown_attributes.size(), kind == 1 ? 0u : 1u);
  }
}

// Written by the compilers of CUDA 13; cuobjdump calls value 3 PTX.
TEST(Cubin, CodeCompiledFromPtxIsUnderstoodFromAnotherLanguageNot) {
  for (const u32 language : {3u, 2u}) {
    ElfBuilder elf = one_kernel();
    test::append_attribute(elf.sections[1].content, 0x66, {language});
    const Bytes bytes = elf.build();
    const Expected<Cubin> cubin = Cubin::parse(Slice(bytes), "t.cubin");
    ASSERT_TRUE(cubin) << cubin.error().message;
    EXPECT_EQ(cubin->kernels()[0].unknown_attributes.size(), language == 3 ? 0u : 1u);
  }
}

// As in libraries whose symbol tables were rewritten.
TEST(Cubin, ParameterBankNeedsNoSymbol) {
  ElfBuilder elf = one_kernel();
  elf.symbols.pop_back();
  const Bytes bytes = elf.build();
  const Expected<Cubin> cubin = Cubin::parse(Slice(bytes), "t.cubin");
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_EQ(cubin->kernels()[0].parameter_base, 0x160u);
  elf.sections.pop_back();  // but it needs the bank
  EXPECT_THAT(error_of(elf.build()), HasSubstr("exceed constant bank 0"));
}

TEST(Cubin, CodeRelocationsAreListedWithAddends) {
  ElfBuilder elf = one_kernel();
  Bytes rela;
  test::append<u64>(rela, 0x10);
  test::append<u64>(rela, (u64{1} << 32) | 0x38);
  test::append<i64>(rela, -16);
  elf.sections.push_back({".rela.text.k", 4, rela, 0, 1, 24});
  const Bytes bytes = elf.build();
  const Expected<Cubin> cubin = Cubin::parse(Slice(bytes), "t.cubin");
  ASSERT_TRUE(cubin) << cubin.error().message;
  ASSERT_EQ(cubin->kernels()[0].relocations.size(), 1u);
  const ResolvedRelocation& relocation = cubin->kernels()[0].relocations[0];
  EXPECT_EQ(relocation.offset, 0x10u);
  EXPECT_EQ(relocation.type, kRelocationLow32);
  EXPECT_EQ(relocation.addend, -16);
  EXPECT_EQ(relocation.symbol_name, "k");
}

TEST(CubinErrors, NotACubin) {
  EXPECT_THAT(error_of({}), HasSubstr("not an ELF file"));
  EXPECT_THAT(error_of({'h', 'e', 'l', 'l', 'o'}), HasSubstr("not an ELF file"));
  ElfBuilder host = one_kernel();
  host.machine = 62;
  EXPECT_THAT(error_of(host.build()), HasSubstr("machine 62"));
  ElfBuilder future = one_kernel();
  future.abi_version = 9;
  EXPECT_THAT(error_of(future.build()), HasSubstr("OS ABI 0x41 version 9"));
  Bytes other_class = one_kernel().build();
  other_class[4] = 1;
  EXPECT_THAT(error_of(other_class), HasSubstr("64-bit little-endian"));
}

TEST(CubinErrors, MachineAndFlavourAreUnsupportedNotMalformed) {
  ElfBuilder host = one_kernel();
  host.machine = 62;
  const Bytes bytes = host.build();
  EXPECT_EQ(Cubin::parse(Slice(bytes), "t").error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(Cubin::parse(Slice(), "t").error().kind, ErrorKind::kMalformed);
}

TEST(CubinErrors, Metadata) {
  {
    ElfBuilder elf = one_kernel();
    elf.sections[1].name = ".note";
    EXPECT_THAT(error_of(elf.build()), HasSubstr("no section .nv.info"));
  }
  {
    ElfBuilder elf = one_kernel();  // a second set of metadata for the same kernel
    elf.sections.push_back(elf.sections[1]);
    EXPECT_THAT(error_of(elf.build()), HasSubstr("occurs twice"));
  }
  {
    ElfBuilder elf = one_kernel();
    elf.sections[1].content.push_back(4);
    EXPECT_THAT(error_of(elf.build()), HasSubstr("cut short"));
  }
  {
    ElfBuilder elf = one_kernel();
    for (const u8 byte : Bytes{9, 1, 0, 0}) elf.sections[1].content.push_back(byte);
    EXPECT_THAT(error_of(elf.build()), HasSubstr("unknown attribute format 9"));
  }
  {
    ElfBuilder elf = one_kernel();  // one byte short of the last parameter
    elf.sections[2].content.resize(0x16b);
    EXPECT_THAT(error_of(elf.build()), HasSubstr("exceed constant bank 0"));
  }
  {
    ElfBuilder elf = one_kernel();
    elf.sections[0].content.resize(33);
    EXPECT_THAT(error_of(elf.build()), HasSubstr("expected a multiple of 16"));
  }
  {
    ElfBuilder elf = one_kernel();
    elf.symbols[0].size = 48;
    EXPECT_THAT(error_of(elf.build()), HasSubstr("lies outside section .text.k"));
  }
  {
    ElfBuilder elf = one_kernel();  // branch targets: announces two, has one
    test::append_attribute(elf.sections[1].content, 0x34, {0, 0, 2, 0x10});
    EXPECT_THAT(error_of(elf.build()), HasSubstr("branch targets is cut short"));
  }
}

TEST(CubinErrors, ParametersThatOverlapOrAreMissing) {
  const auto with = [](u32 second_ordinal_and_offset) {
    ElfBuilder elf = one_kernel();
    Bytes info;
    test::append_attribute(info, 0x0a, {2, 0x000c0160});
    test::append_attribute(info, 0x17, {0, 0, (8u << 18) | 0x1f000});
    test::append_attribute(info, 0x17, {0, second_ordinal_and_offset, (4u << 18) | 0x1f000});
    elf.sections[1].content = info;
    return error_of(elf.build());
  };
  EXPECT_EQ(with(0x00080001), "parsed");
  EXPECT_THAT(with(0x00070001), HasSubstr("parameter 1 (offset 0x7, 4 bytes) overlaps"));
  EXPECT_THAT(with(0x00090001), HasSubstr("exceeds the 12 bytes"));
  EXPECT_THAT(with(0x00080002), HasSubstr("parameter 1 expected, found 2"));
}

TEST(Demangle, NamesForPeople) {
  EXPECT_EQ(demangle("_Z7boundedPKfPfi"), "bounded(float const*, float*, int)");
  EXPECT_EQ(demangle("plain_c_name"), "plain_c_name");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
}

}  // namespace
}  // namespace picker::container
