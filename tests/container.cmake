picker_test(container_test
  SOURCES container/cubin_test.cpp container/robustness_test.cpp container/constant_bank_test.cpp
          container/container_test.cpp
  LIBS picker_container)
picker_fuzz_target(container_fuzz SOURCES fuzz/container_fuzz.cpp LIBS picker_container
  SEEDS ${CMAKE_CURRENT_SOURCE_DIR}/container/data)
if(TARGET picker_sass)
  picker_fuzz_target(decoder_fuzz SOURCES fuzz/decoder_fuzz.cpp LIBS picker_sass)
endif()
