# acp_embed(PREFIX <out> FILES <files…>): writes an assembly file that takes the files in as they are and a C table of
# them, and sets <out> to both. Needs no program beyond the assembler.
function(acp_embed out)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(asm "        .section .rodata\n")
  set(externs "")
  set(rows "")
  set(i 0)
  foreach(file ${ARG_FILES})
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${file})
    string(APPEND asm "        .globl embed_${i}, embed_${i}_end\n"
      "embed_${i}:\n        .incbin \"${file}\"\nembed_${i}_end:\n        .byte 0\n")
    string(APPEND externs "extern const char embed_${i}[], embed_${i}_end[];\n")
    string(APPEND rows "    {\"${name}\", embed_${i}, embed_${i}_end},\n")
    math(EXPR i "${i} + 1")
  endforeach()
  string(APPEND asm "        .section .note.GNU-stack,\"\",%progbits\n")
  set(asm_file ${CMAKE_CURRENT_BINARY_DIR}/embed_data.S)
  set(table_file ${CMAKE_CURRENT_BINARY_DIR}/embed_table.c)
  file(CONFIGURE OUTPUT ${asm_file} CONTENT "${asm}" @ONLY)
  file(CONFIGURE OUTPUT ${table_file} CONTENT "#include \"conformance/embed.h\"\n\n${externs}
const struct embed_file embed_files[] = {\n${rows}};\nconst size_t embed_count = ${i};\n" @ONLY)
  # The assembler's inputs are not seen by dependency scanning.
  set_source_files_properties(${asm_file} PROPERTIES OBJECT_DEPENDS "${ARG_FILES}")
  set(${out} ${asm_file} ${table_file} PARENT_SCOPE)
endfunction()
