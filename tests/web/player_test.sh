#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The browser's player, built, and run in Node and (where it is installed) in headless Chromium, against
# native plays. Skips (exit code 77) where the compiler or Node is not installed.
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
"$write_plays" fused "$folder/fused" || true  # says why, and Node that it skips that test
node tests/web/player_test.mjs "$folder/package" "$folder/plays" tests/fuzz/corpus/hem "$folder/fused"

if ! command -v chromium >/dev/null; then
    echo "Not tested in a browser: chromium is not installed."
    exit 0
fi
cp tests/web/{plays.mjs,player_page.html,player_page.mjs} "$folder"
(cd "$folder/plays" && ls -- *.play) | sed 's/.play$//' | python3 -c \
    'import json, sys; print(json.dumps(sys.stdin.read().split()))' >"$folder/plays.json"
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$folder" >"$folder/server.log" 2>&1 &
server=$!
trap 'kill $server ${browser:-}; wait' EXIT
# The first match in the server's log, which is waited for: a minute at most.
logged() {
    for _ in {1..600}; do
        sed -n "s/$1/\\1/p" "$folder/server.log" | grep -m1 . && return
        sleep 0.1
    done
}
port=$(logged '.* port \([0-9]*\) .*')
chromium --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --remote-debugging-port=0 \
    "http://127.0.0.1:${port:?}/player_page.html" >"$folder/chromium.log" 2>&1 &
browser=$!
result=$(logged '.*GET \/result?\([^ ]*\) .*' |
    python3 -c 'import sys, urllib.parse; print(urllib.parse.unquote(sys.stdin.read()))')
echo "Chromium: ${result:-no answer; see $folder/chromium.log}"
[[ $result == passed* ]]
