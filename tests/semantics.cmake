# What each instruction computes, on words as the machine has them.
picker_test(semantics_integer_test SOURCES semantics/integer_test.cpp LIBS picker_semantics)
picker_test(semantics_understood_test SOURCES semantics/understood_test.cpp LIBS picker_semantics)
