// A cubin: the ELF file with the machine code and metadata of one or more kernels.
//
// What is where. Code of kernel K is section .text.K, its parameters' layout and other facts are
// attributes in .nv.info.K, per-function facts are attributes in .nv.info, constant bank 0's size
// (driver area and parameters) is that of .nv.constant0.K, compiler constants and jump tables are
// .nv.constant2.K, user constants .nv.constant3, addresses patched by the loader .nv.constant4 with
// its relocations. The per-kernel sections name their kernel by sh_info, the index of .text.K.
// CUDA 12 and older write the "old" flavour (OS ABI 0x33, ABI version 7: architecture in the low
// byte of e_flags), CUDA 13, and 12.8 for Blackwell, the "new" one (0x41, 8: in the second byte).
//
// The parser reports, it does not judge: whatever it does not understand (attributes, relocations)
// is listed in the `Kernel`, and the analysis refuses to conclude anything from such a kernel.
//
// Source: cubins compiled for every architecture, compared with cuobjdump -elf and readelf.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "container/attributes.hpp"
#include "container/elf.hpp"
#include "container/line_table.hpp"
#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

struct Parameter {
  u32 ordinal = 0;
  u32 offset = 0;  // from the parameter base, bytes
  u32 size = 0;    // bytes
  u8 log2_pointee_alignment = 0;
  u8 space = 0;  // 5: the compiler knows a global pointer (a hint, not to rely on)
};

struct IndirectBranch {
  u32 branch_offset = 0;     // of the BRX in the text section, bytes
  std::vector<u32> targets;  // offsets in the text section, bytes
};

// Relocation types that mean something to picker; names as cuobjdump prints them.
inline constexpr u32 kRelocation64 = 0x02;              // R_CUDA_64: 64-bit address
inline constexpr u32 kRelocationFunction64 = 0x23;      // R_CUDA_FUNC_DESC_64
inline constexpr u32 kRelocationLow32 = 0x38;           // R_CUDA_ABS32_LO_32: low half, bits 32-63
inline constexpr u32 kRelocationHigh32 = 0x39;          // R_CUDA_ABS32_HI_32: high half
inline constexpr u32 kRelocationCall47 = 0x3a;          // R_CUDA_ABS47_34: target of CALL.ABS
inline constexpr u32 kRelocationFunctionLow32 = 0x3e;   // R_CUDA_FUNC_DESC32_LO_32
inline constexpr u32 kRelocationFunctionHigh32 = 0x3f;  // R_CUDA_FUNC_DESC32_HI_32

// A place in a section that the loader patches with the address of a symbol.
struct ResolvedRelocation {
  u32 offset = 0;  // in the patched section, bytes; in code: of the instruction
  u32 type = 0;
  u32 symbol = 0;  // index into Cubin::symbols()
  i64 addend = 0;  // bytes; explicit_addend false: 0 here, the rest is in the place
  bool explicit_addend = false;
  std::string_view symbol_name;
  bool symbol_defined = false;  // in this cubin
};

// Code other than a kernel's entry: a slow path such as $__internal_0_$__cuda_sm20_div_rn_f64_full.
struct DeviceFunction {
  std::string_view name;
  u32 offset = 0;  // in its text section, bytes
  u32 size = 0;    // bytes
};

struct Dimensions {
  u32 x = 0, y = 0, z = 0;
};

// One kernel. Slices and string views look into the cubin's bytes.
struct Kernel {
  std::string name;      // mangled
  u32 sm = 0;            // 80 for sm_80
  u32 symbol = 0;        // index into Cubin::symbols()
  u32 text_section = 0;  // section index
  Slice code;            // all of the text section: kernel and functions
  u32 entry_offset = 0;  // of the kernel's first instruction in `code`; 0 but for exotic files
  u32 entry_size = 0;    // bytes of the kernel symbol (0: not stated)

  std::vector<Parameter> parameters;  // by ordinal, 0, 1, 2, ...
  u32 parameter_base = 0;             // offset in c[0x0] of the first parameter, bytes
  u32 parameter_size = 0;             // of all parameters with padding between, bytes
  u32 constant0_size = 0;             // of bank 0 as the kernel sees it, bytes; 0 if not stated
  Slice constant2;                    // content of bank 2: compiler constants, jump tables
  std::vector<ResolvedRelocation> constant2_relocations;  // normally none

  u32 register_count = 0;  // per thread; 0 if not stated
  u32 frame_size = 0;      // bytes of local memory of the kernel's own frame
  u32 min_stack_size = 0;  // bytes of local memory, callees included
  std::optional<u32> max_stack_size;
  u64 static_shared_size = 0;  // bytes, including what the system reserves from sm_90 on
  std::optional<Dimensions> required_threads;    // __block_size__, .reqntid
  std::optional<Dimensions> max_threads;         // __launch_bounds__, .maxntid: a bound on x*y*z
  std::optional<Dimensions> blocks_per_cluster;  // __cluster_dims__
  bool explicit_cluster = false;
  std::optional<u32> max_cluster_rank;
  u32 barrier_count = 0;

  std::vector<u32> exit_offsets;
  std::vector<u32> syscall_offsets;  // CALLs into the driver's own functions
  std::vector<u32> system_atomic_offsets;
  std::vector<IndirectBranch> indirect_branches;
  std::vector<u32> externs;                     // indices into Cubin::symbols()
  std::vector<ResolvedRelocation> relocations;  // of the code, ascending by offset
  std::vector<DeviceFunction> functions;        // in the same section, ascending by offset
  bool needs_device_launch = false;             // launches kernels itself
  bool cluster_launch_control = false;          // may cancel clusters not yet started

  std::vector<Attribute> attributes;   // all of .nv.info.K, in file order
  std::vector<u8> unknown_attributes;  // numbers not in AttributeNumber, ascending
};

// A variable in global or constant memory.
struct Variable {
  std::string_view name;
  u32 symbol = 0;  // index into Cubin::symbols()
  u64 offset = 0;  // in its section, bytes
  u64 size = 0;    // bytes
  Slice initial;   // initial content; empty if zero (.nv.global)
};

// A parsed cubin. Views the caller's bytes, which must outlive it, or shares their owner if one is
// given. Immutable after parse; safe to share between threads.
class Cubin {
 public:
  // `name` is for display. Errors: kMalformed (section and offset named); kUnsupported for an ELF
  // of another machine or of an unknown cubin flavour. An architecture picker cannot analyse is no
  // error here: see constant_bank_layout().
  [[nodiscard]] static Expected<Cubin> parse(Slice bytes, std::string name,
                                             std::shared_ptr<const void> owner = nullptr);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] u32 sm() const { return sm_; }
  // An ELF file of relocatable type: compiled for the device linker (nvcc -dc), so that addresses
  // in the code are not final. Libraries ship some kernels in this form that need no relocation;
  // the driver loads those, so what counts is Kernel::relocations.
  [[nodiscard]] bool relocatable() const { return elf_.type() == kElfRelocatable; }
  [[nodiscard]] const Elf& elf() const { return elf_; }
  [[nodiscard]] Slice bytes() const { return bytes_; }

  // In the order of their text sections.
  [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
  // By mangled name; null if there is none.
  [[nodiscard]] const Kernel* find(std::string_view kernel) const;

  [[nodiscard]] const std::vector<Symbol>& symbols() const { return symbols_; }

  // Initial content of bank 3 (user constants) and the variables in it, ascending by offset.
  [[nodiscard]] Slice constant3() const { return constant3_; }
  [[nodiscard]] const std::vector<Variable>& constant3_variables() const {
    return constant3_variables_;
  }
  [[nodiscard]] const std::vector<ResolvedRelocation>& constant3_relocations() const {
    return constant3_relocations_;
  }
  // Bank 4: content before patching, and what is patched where, ascending by offset.
  [[nodiscard]] Slice constant4() const { return constant4_; }
  [[nodiscard]] const std::vector<ResolvedRelocation>& constant4_relocations() const {
    return constant4_relocations_;
  }
  // The symbol whose address the loader stores at byte `offset` of bank 4 (8 bytes, exactly there),
  // with the addend; nothing if that place is not patched or not in a way that is understood.
  [[nodiscard]] std::optional<ResolvedRelocation> constant4_entry(u64 offset) const;

  // Variables in .nv.global and .nv.global.init.
  [[nodiscard]] const std::vector<Variable>& globals() const { return globals_; }

  // The source line of `offset` in `kernel`, or nothing. `file` indexes line_table().files().
  [[nodiscard]] std::optional<SourceLine> source_location(const Kernel& kernel, u64 offset) const {
    return lines_.find(kernel.text_section, offset);
  }
  [[nodiscard]] const LineTable& line_table() const { return lines_; }
  // Why there are no source lines although the file has .debug_line; empty otherwise.
  [[nodiscard]] const std::string& line_table_error() const { return line_table_error_; }

 private:
  friend class CubinParser;
  std::string name_;
  std::shared_ptr<const void> owner_;
  Slice bytes_;
  u32 sm_ = 0;
  Elf elf_;
  std::vector<Symbol> symbols_;
  std::vector<Kernel> kernels_;
  Slice constant3_;
  Slice constant4_;
  std::vector<Variable> constant3_variables_;
  std::vector<ResolvedRelocation> constant3_relocations_;
  std::vector<ResolvedRelocation> constant4_relocations_;
  std::vector<Variable> globals_;
  LineTable lines_;
  std::string line_table_error_;
};

// `name` as a person would write it in C++, or `name` itself if it is not a mangled one.
[[nodiscard]] std::string demangle(std::string_view name);

}  // namespace picker::container
