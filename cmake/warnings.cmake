# One interface target carries the language level and the warnings of our own code.
add_library(acp_options INTERFACE)
target_compile_definitions(acp_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE
  ACP_VERSION="${PROJECT_VERSION}")
target_include_directories(acp_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/lib)
target_compile_options(acp_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith -Wcast-qual
  -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wswitch-enum -Wimplicit-fallthrough -Wnull-dereference)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # A message cut at the end of its buffer is meant to be.
  target_compile_options(acp_options INTERFACE -Wlogical-op -Wduplicated-cond -Wduplicated-branches
    -Wno-format-truncation)
endif()
if(ACP_WERROR)
  target_compile_options(acp_options INTERFACE -Werror)
endif()
