# Compiler settings shared by every target of this project.
add_library(picker_flags INTERFACE)
target_include_directories(picker_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/lib)
target_compile_options(picker_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                              -Wnon-virtual-dtor -fvisibility=hidden)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns of overlapping copies in its own std::string (GCC bug 105651).
  target_compile_options(picker_flags INTERFACE -Wno-restrict)
endif()
if(PICKER_WERROR)
  target_compile_options(picker_flags INTERFACE -Werror)
endif()
if(PICKER_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fsanitize=fuzzer-no-link)  # so that fuzz targets see into the layers
  endif()
endif()

# picker_layer(NAME SOURCES... DEPENDS...): a static library of one layer of the architecture.
function(picker_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(picker_${name} STATIC ${LAYER_SOURCES})
  target_link_libraries(picker_${name} PUBLIC picker_flags fmt::fmt ${LAYER_DEPENDS})
endfunction()

# picker_test(NAME SOURCES... LIBS...): a GoogleTest program registered with ctest under NAME.
function(picker_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LIBS} GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name} PRIVATE PICKER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# picker_fuzz_target(NAME SOURCES... LIBS... SEEDS...): a libFuzzer program, built with the sanitizers
# only. As a test it runs for 20 seconds from the files in the folders SEEDS; what it finds on the
# way stays in build/sanitize/fuzz/NAME for the next run, an input that fails in fuzz/NAME-failure-*.
function(picker_fuzz_target name)
  if(PICKER_SANITIZE)
    cmake_parse_arguments(F "" "" "SOURCES;LIBS;SEEDS" ${ARGN})
    add_executable(${name} ${F_SOURCES})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE ${F_LIBS})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz/${name})
    add_test(NAME ${name}
             COMMAND ${name} -max_total_time=20 -verbosity=0 -print_final_stats=1
                     -artifact_prefix=${CMAKE_BINARY_DIR}/fuzz/${name}-failure-
                     ${CMAKE_BINARY_DIR}/fuzz/${name} ${F_SEEDS})
  endif()
endfunction()
