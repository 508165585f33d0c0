# The documentation says what the code does.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(check reasons files schemas output --self)
  string(REPLACE "--" "" name ${check})
  add_test(NAME docs_${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs_test.py
                                     ${CMAKE_SOURCE_DIR} $<TARGET_FILE:picker> ${check})
endforeach()
