# Tests of the instruction tables, decoder and printer.
picker_test(sass_decoder_test SOURCES sass_decoder_test.cpp LIBS picker_sass)
picker_test(sass_golden_test SOURCES sass_golden_test.cpp LIBS picker_sass)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME sass_generate_test
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/sass_generate_test.py)
