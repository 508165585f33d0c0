# picker-mutants: the tests against mutants of the code that verdicts rest on (tools/make_mutants.py).
# The sources to mutate are copied, changed, into the build tree; everything above them is compiled
# again on the copies. Only with PICKER_MUTANTS, because that takes some minutes.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME mutants_generator
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/mutants/make_mutants_test.py)

option(PICKER_MUTANTS "The mutation check, picker-mutants" OFF)
set(PICKER_MUTANTS_COUNT 400 CACHE STRING "Mutants drawn evenly over files and kinds; 0: all")
set(PICKER_MUTANTS_SEED 1 CACHE STRING "Seed of that draw")
if(NOT PICKER_MUTANTS)
  return()
endif()

set(copies ${CMAKE_BINARY_DIR}/mutants)
file(GLOB mutated RELATIVE ${CMAKE_SOURCE_DIR}/lib CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/lib/semantics/*.[ch]pp ${CMAKE_SOURCE_DIR}/lib/analysis/*.[ch]pp
     ${CMAKE_SOURCE_DIR}/lib/validate/*.[ch]pp)
# Texts only.
list(REMOVE_ITEM mutated analysis/describe.cpp analysis/describe.hpp analysis/reasons.cpp
     analysis/reasons.hpp)
set(mutated_units ${mutated})
list(FILTER mutated_units INCLUDE REGEX "[.]cpp$")
list(TRANSFORM mutated_units PREPEND ${copies}/lib/ OUTPUT_VARIABLE mutated_units)
list(TRANSFORM mutated PREPEND ${CMAKE_SOURCE_DIR}/lib/ OUTPUT_VARIABLE originals)
set(others)
foreach(layer emulator oracle)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lib/${layer}/*.cpp)
  list(APPEND others ${sources})
endforeach()
set(judging_tests)
foreach(test semantics/integer_test.cpp semantics/understood_test.cpp emulator/ieee_test.cpp
             emulator/instructions_test.cpp emulator/machine_test.cpp analysis/expression_test.cpp
             analysis/random_code_test.cpp analysis/analyzer_test.cpp validate_evaluate_test.cpp
             validate_footprint_test.cpp validate_loops_test.cpp validate_verdict_test.cpp
             samples_verdict_test.cpp emulator_samples_test.cpp random_launches_test.cpp)
  list(APPEND judging_tests ${CMAKE_CURRENT_SOURCE_DIR}/${test})
endforeach()

set(includes ${copies} ${copies}/lib ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/lib
    ${CMAKE_BINARY_DIR}/lib/sass/generated)
list(TRANSFORM includes PREPEND "-I" OUTPUT_VARIABLE include_flags)
list(JOIN include_flags " " include_flags)
add_custom_command(
  OUTPUT ${copies}/mutants/table.inc
  BYPRODUCTS ${mutated_units} ${copies}/mutants/active.hpp ${copies}/mutants/count.inc
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/make_mutants.py ${copies}
          --root ${CMAKE_SOURCE_DIR}/lib --count ${PICKER_MUTANTS_COUNT}
          --seed ${PICKER_MUTANTS_SEED} --files ${mutated}
          --compile "${CMAKE_CXX_COMPILER} -std=c++23 -w -Wno-narrowing ${include_flags}"
          --units ${mutated_units} ${others} ${CMAKE_CURRENT_SOURCE_DIR}/semantics/integer_test.cpp
  DEPENDS ${CMAKE_SOURCE_DIR}/tools/make_mutants.py ${originals}
  VERBATIM)
add_custom_target(picker_mutant_copies DEPENDS ${copies}/mutants/table.inc)
add_dependencies(picker_mutant_copies picker_sass_tables)

add_executable(picker-mutants mutants/mutants_main.cpp ${mutated_units} ${others} ${judging_tests}
  ${CMAKE_SOURCE_DIR}/lib/analysis/describe.cpp ${CMAKE_SOURCE_DIR}/lib/analysis/reasons.cpp
  ${CMAKE_SOURCE_DIR}/tools/random_launches.cpp ${CMAKE_SOURCE_DIR}/tools/sample_suite.cpp
  ${CMAKE_SOURCE_DIR}/tools/emulation.cpp ${CMAKE_SOURCE_DIR}/tools/launch_arguments.cpp
  ${CMAKE_SOURCE_DIR}/tools/command.cpp ${CMAKE_SOURCE_DIR}/tools/selection.cpp ${CMAKE_SOURCE_DIR}/tools/site_text.cpp)
add_dependencies(picker-mutants picker_mutant_copies)
target_include_directories(picker-mutants BEFORE PRIVATE ${copies} ${copies}/lib)
target_compile_options(picker-mutants PRIVATE -w -Wno-narrowing)
target_compile_definitions(picker-mutants PRIVATE PICKER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(picker-mutants PRIVATE picker_container picker_sass picker_support fmt::fmt
                      CLI11::CLI11 nlohmann_json::nlohmann_json GTest::gtest GTest::gmock)
