find_package(nlohmann_json REQUIRED)
picker_test(emulator_samples_test SOURCES emulator_samples_test.cpp LIBS picker_tools nlohmann_json::nlohmann_json)
picker_test(ieee_test SOURCES emulator/ieee_test.cpp LIBS picker_semantics)
picker_test(machine_test SOURCES emulator/machine_test.cpp LIBS picker_tools)
