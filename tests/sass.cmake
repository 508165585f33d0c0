# Tests of the instruction tables, decoder and printer.
picker_test(sass_decoder_test SOURCES sass_decoder_test.cpp LIBS picker_sass)
picker_test(sass_golden_test SOURCES sass_golden_test.cpp LIBS picker_sass)
