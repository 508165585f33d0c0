picker_test(tools_test SOURCES cli/launch_arguments_test.cpp LIBS picker_tools)

# One shell script per behaviour of the command; PICKER names the built command.
file(GLOB cli_scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/*.sh)
foreach(script ${cli_scripts})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME cli_${name} COMMAND sh ${script})
  set_tests_properties(cli_${name} PROPERTIES
    ENVIRONMENT "PICKER=$<TARGET_FILE:picker>;SOURCE=${CMAKE_SOURCE_DIR}")
endforeach()
