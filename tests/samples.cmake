# The launch tables of samples/ agree with the cubins beside them, and with the models they come from.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME samples_tables COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/samples/check_tables.py)
add_test(NAME samples_models COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/samples/write_tables.py --check)
