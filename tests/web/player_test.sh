#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The browser's player, built and run in Node, against native plays. Skips (exit code 77) where the compiler
# or Node is not installed.
#   tests/web/player_test.sh WRITE_PLAYS FOLDER
set -euo pipefail
write_plays=${1:?} folder=${2:?}
for needed in "$(command -v clang++-16)" "$(command -v wasm-ld-16)" /usr/lib/wasm32-wasi/libc.a "$(command -v node)"; do
    [[ -e $needed ]] && continue
    echo "SKIPPED: the browser's player is neither built nor tested, for its compiler or Node is not installed:"
    echo "    scripts/install-packages clang-16 lld-16 wasi-libc nodejs"
    exit 77
done
rm -rf "$folder"
scripts/build-web-player "$folder/package"
"$write_plays" plain "$folder/plays"
node tests/web/player_test.mjs "$folder/package" "$folder/plays" tests/fuzz/corpus/hem
