# What each instruction computes, on words as the machine has them.
picker_test(semantics_integer_test SOURCES semantics/integer_test.cpp LIBS picker_semantics)
