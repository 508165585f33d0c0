find_package(nlohmann_json REQUIRED)
picker_test(emulator_samples_test SOURCES emulator_samples_test.cpp LIBS picker_tools nlohmann_json::nlohmann_json)
picker_test(ieee_test SOURCES emulator/ieee_test.cpp LIBS picker_semantics)
picker_test(machine_test SOURCES emulator/machine_test.cpp LIBS picker_tools)
picker_test(emulator_instructions_test SOURCES emulator/instructions_test.cpp LIBS picker_emulator)
picker_test(random_launches_test SOURCES random_launches_test.cpp LIBS picker_tools)
picker_test(contracts_test SOURCES emulator/contracts_test.cpp LIBS picker_oracle)
# Every sample launch against a plain C++ reference of its kernel.
picker_test(emulator_references_test SOURCES emulator_references_test.cpp references/reference.cpp references/copies.cpp
            references/arithmetic.cpp references/indices.cpp references/control.cpp references/exchanges.cpp
            references/atomics.cpp references/parameters.cpp references/machine.cpp references/reference_test.cpp
            LIBS picker_tools nlohmann_json::nlohmann_json)
target_include_directories(emulator_references_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
picker_test(emulator_matrix_test SOURCES emulator/matrix_test.cpp LIBS picker_emulator)
picker_test(emulator_cluster_test SOURCES emulator/cluster_test.cpp LIBS picker_emulator)
picker_test(emulator_async_test SOURCES emulator/async_test.cpp LIBS picker_emulator)
picker_test(emulator_syscalls_test SOURCES emulator/syscalls_test.cpp LIBS picker_emulator)
picker_test(emulator_texture_test SOURCES emulator/texture_test.cpp LIBS picker_emulator)
picker_test(emulator_warpgroup_test SOURCES emulator/warpgroup_test.cpp LIBS picker_emulator)
