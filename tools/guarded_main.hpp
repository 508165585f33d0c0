// The outermost frame of the programs here.
#pragma once

#include <cstdio>
#include <exception>

namespace picker::tools {

// What `run(argc, argv)` returns; 3, and a line on standard error that begins with `name`, if it
// throws: libraries do when memory runs out.
inline int guarded_main(const char* name, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 3;
  }
}

}  // namespace picker::tools
