# The launch tables of samples/ agree with the cubins beside them, and with the models they come from.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME samples_tables COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/samples/check_tables.py)
add_test(NAME samples_models COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/samples/write_tables.py --check)
# Verdicts on those launches: never wrong, on any family; on sm_80 as recorded.
picker_test(samples_verdict_test SOURCES samples_verdict_test.cpp LIBS picker_tools)
