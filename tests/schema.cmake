# What needs the npm packages of tests/peers (npm ci --prefix tests/peers): the schema table is up to date, and a
# real JSON Schema validator agrees with ours.
find_program(NODE node)
if(NODE)
  add_test(NAME schema.regenerated COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/scripts/gen-schema.mjs --check)
  set_tests_properties(schema.regenerated PROPERTIES LABELS schema TIMEOUT 60 SKIP_RETURN_CODE 77)
else()
  message(STATUS "schema.regenerated is left out: node is not installed")
endif()

add_executable(acp-check-lines tools/check_lines.c)
target_link_libraries(acp-check-lines PRIVATE acp_acp)
set_target_properties(acp-check-lines PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
