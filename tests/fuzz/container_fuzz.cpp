// libFuzzer target: any bytes as a cubin.
#include "container/cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const picker::u8* data, size_t size) {
  const picker::Slice bytes(std::span<const picker::u8>(data, size));
  const auto cubin = picker::container::Cubin::parse(bytes, "fuzz");
  if (!cubin) return 0;
  for (const auto& kernel : cubin->kernels())
    for (picker::u64 offset = 0; offset < kernel.code.size(); offset += 16)
      (void)cubin->source_location(kernel, offset);
  for (picker::u64 offset = 0; offset < cubin->constant4().size(); ++offset)
    (void)cubin->constant4_entry(offset);
  return 0;
}
