# cmake --install into an empty folder gives the four programs, and each says who it is.
#   cmake -DBUILD=<build folder> -DPREFIX=<folder> -DVERSION=<x.y.z> -P check-install.cmake
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(program acp-agent acp-mock-client acp-mock-provider acp-conformance)
  execute_process(COMMAND ${PREFIX}/bin/${program} --version
    OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE rc)
  if(NOT rc EQUAL 0 OR NOT said STREQUAL "${program} ${VERSION}\n")
    message(SEND_ERROR "${program} --version: exit ${rc}, said \"${said}\", expected \"${program} ${VERSION}\"")
  endif()
endforeach()
file(GLOB installed RELATIVE ${PREFIX}/bin ${PREFIX}/bin/*)
list(LENGTH installed count)
if(NOT count EQUAL 4)
  message(SEND_ERROR "installed in bin/: ${installed}; expected exactly the four programs")
endif()
