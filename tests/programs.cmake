# Tests of the built programs as a whole: install, the conformance suite, and the proof that its checks can fail.

add_test(NAME install COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR}
  -DPREFIX=${PROJECT_BINARY_DIR}/installed -DVERSION=${PROJECT_VERSION}
  -P ${CMAKE_CURRENT_SOURCE_DIR}/check-install.cmake)
set_tests_properties(install PROPERTIES LABELS programs TIMEOUT 120)

# --timeout-scale: sanitized programs on a busy machine are slow, and a deadline is only a guard.
function(acp_conformance_test name timeout)
  add_test(NAME conformance.${name} COMMAND acp-conformance ${ARGN})
  set_tests_properties(conformance.${name} PROPERTIES LABELS conformance TIMEOUT ${timeout} PROCESSORS 2)
endfunction()
acp_conformance_test(suite 600 run --profile acp-agent -j 4 --timeout-scale 4
  --trace ${PROJECT_BINARY_DIR}/traces)
acp_conformance_test(coverage 60 coverage --summary)
acp_conformance_test(proof 1200 prove --profile acp-agent -j 8)
file(GLOB cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/conformance/cases/*/*.json)
acp_conformance_test(lint 120 lint ${cases})

# Built when scripts/bench-provider asks for it.
add_executable(acp-http-load EXCLUDE_FROM_ALL tools/http_load.c)
target_link_libraries(acp-http-load PRIVATE PkgConfig::UV acp_options)
