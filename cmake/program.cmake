# A program is a static library of everything but main.c, plus main.c: tests link the library.
# All programs of one build land in one folder, so that they find each other there.
function(acp_program program library)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  list(FILTER ARG_SOURCES EXCLUDE REGEX "/main\\.c$")
  add_library(${library} STATIC ${ARG_SOURCES})
  target_link_libraries(${library} PUBLIC ${ARG_LINK})
  add_executable(${program} main.c)
  target_link_libraries(${program} PRIVATE ${library})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  add_dependencies(programs ${program})
  install(TARGETS ${program})
endfunction()
