# The session store behind pipes, for the end-to-end tests that kill it.
if(TARGET agent)
  add_executable(acp-store-writer tools/store_writer.c)
  target_link_libraries(acp-store-writer PRIVATE agent)
  set_target_properties(acp-store-writer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()
