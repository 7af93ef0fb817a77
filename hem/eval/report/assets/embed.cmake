# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT: a C++ source with the text of report.css and view*.js, in pieces that every compiler takes.
#   cmake -DFOLDER=hem/eval/report/assets -DOUTPUT=report_assets.cpp -P embed.cmake
function(embed name)
    set(text "")
    foreach(file ${ARGN})
        file(READ ${FOLDER}/${file} part)
        string(APPEND text "${part}")
    endforeach()
    string(LENGTH "${text}" length)
    set(at 0)
    set(literal "")
    while(at LESS length)
        string(SUBSTRING "${text}" ${at} 8000 piece)
        string(APPEND literal "R\"hem_asset(${piece})hem_asset\"\n")
        math(EXPR at "${at} + 8000")
    endwhile()
    set(source "${source}const char* const ${name} =\n${literal};\n" PARENT_SCOPE)
endfunction()

set(source "#include \"hem/eval/report/assets.h\"\nnamespace hem::assets {\n")
embed(kReportCss report.css)
embed(kViewJs math.js stage.js view.js)
file(WRITE ${OUTPUT} "${source}}\n")
