# SPDX-License-Identifier: Apache-2.0
# Puts the viewer's page into the command: makes it with scripts/build-web-viewer, and a source that takes its
# files in with .incbin. Where esbuild, clang for WebAssembly or three are missing, the command is built without
# the page, and `hemline view` says what to do.
find_program(HEM_ESBUILD esbuild)
find_program(HEM_WASM_CLANG clang++-16)
find_program(HEM_WASM_LINKER wasm-ld-16)
find_file(HEM_WASI_LIBC libc.a PATHS /usr/lib/wasm32-wasi NO_DEFAULT_PATH)
set(three ${PROJECT_SOURCE_DIR}/build/npm/node_modules/three/package.json)
set(page_names index.html viewer.js viewer.css crowd_worker.js hem.wasm)
set(page_source ${CMAKE_CURRENT_BINARY_DIR}/page_files.cpp)

set(page_text "// Made by tools/embed_page.cmake.\n#include \"tools/page_files.h\"\n\n")
if(HEM_ESBUILD AND HEM_WASM_CLANG AND HEM_WASM_LINKER AND HEM_WASI_LIBC AND EXISTS ${three}
   AND EXISTS ${PROJECT_SOURCE_DIR}/web/viewer/src/crowd_worker.ts)
    set(page_folder ${CMAKE_BINARY_DIR}/web-viewer)
    list(TRANSFORM page_names PREPEND ${page_folder}/ OUTPUT_VARIABLE page_files)
    file(GLOB_RECURSE page_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*
         ${PROJECT_SOURCE_DIR}/hem/runtime/*)
    add_custom_command(
        OUTPUT ${page_files}
        COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-web-viewer ${page_folder}
        DEPENDS ${page_parts} ${three} ${PROJECT_SOURCE_DIR}/scripts/build-web-viewer
                ${PROJECT_SOURCE_DIR}/scripts/build-web-player
        COMMENT "Making the viewer's page")
    set_source_files_properties(${page_source} PROPERTIES OBJECT_DEPENDS "${page_files}")
    set(list "")
    foreach(name ${page_names})
        string(MAKE_C_IDENTIFIER "hem_page_${name}" symbol)
        string(APPEND page_text
               "asm(\".section .rodata\\n.balign 16\\n${symbol}:\\n.incbin \\\"${page_folder}/${name}\\\"\\n\"\n"
               "    \"${symbol}_end:\\n.byte 0\\n.text\\n\");\n"
               "extern \"C\" const std::byte ${symbol}[], ${symbol}_end[];\n")
        string(APPEND list "        {\"/${name}\", {${symbol}, ${symbol}_end}},\n")
    endforeach()
    string(APPEND page_text "\nnamespace hem::tools {\n\nstd::span<const PageFile> pageFiles() {\n"
           "    static const PageFile files[] = {\n${list}    };\n    return files;\n}\n\n}  // namespace hem::tools\n")
else()
    message(STATUS "The viewer's page is left out: scripts/install-packages esbuild clang-16 lld-16 wasi-libc, "
                   "and scripts/fetch-npm three, then build again")
    string(APPEND page_text "std::span<const hem::tools::PageFile> hem::tools::pageFiles() { return {}; }\n")
endif()
file(CONFIGURE OUTPUT ${page_source} CONTENT "${page_text}" @ONLY)
target_sources(hemline PRIVATE ${page_source})
