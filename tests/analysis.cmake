# Expressions, and the symbolic execution that builds them.
picker_test(expression_test SOURCES analysis/expression_test.cpp LIBS picker_validate)
picker_test(random_code_test SOURCES analysis/random_code_test.cpp LIBS picker_validate)
picker_test(analyzer_test SOURCES analysis/analyzer_test.cpp LIBS picker_analysis)
