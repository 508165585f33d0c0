// libFuzzer target: any bytes as a file with device code.
#include "container/container.hpp"

extern "C" int LLVMFuzzerTestOneInput(const picker::u8* data, size_t size) {
  using namespace picker::container;
  const picker::Slice bytes(std::span<const picker::u8>(data, size));
  const auto container = Container::parse({bytes, nullptr}, "fuzz");
  if (!container) return 0;
  for (const Image& image : container->images()) {
    if (image.size > (picker::u64{1} << 22)) continue;  // keeps a run fast
    if (image.kind != ImageKind::kCubin) {
      (void)container->bytes(image);
      continue;
    }
    const auto cubin = container->cubin(image);
    if (!cubin) continue;
    for (const Kernel& kernel : cubin->kernels())
      for (picker::u64 offset = 0; offset < kernel.code.size(); offset += 16)
        (void)cubin->source_location(kernel, offset);
    for (picker::u64 offset = 0; offset < cubin->constant4().size(); ++offset)
      (void)cubin->constant4_entry(offset);
  }
  return 0;
}
