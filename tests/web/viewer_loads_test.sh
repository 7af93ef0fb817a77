#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `hemline view` as the browser meets it: a garment learned from one clip, its page loaded in headless Chromium
# (viewer_loads.mjs), and the server ended by Ctrl-C. Skips (exit code 77) where something is not installed.
#   tests/web/viewer_loads_test.sh HEMLINE FOLDER
set -euo pipefail
hemline=${1:?} folder=${2:?}
modules=$PWD/build/npm/node_modules
skip() {
    echo "SKIPPED: the viewer is not tested in a browser, for $1"
    exit 77
}
for program in chromium node; do
    command -v $program >/dev/null ||
        skip "$program is not installed: scripts/install-packages chromium nodejs"
done
[[ -e $modules/playwright-core/package.json ]] || skip "playwright-core is not here: scripts/fetch-npm playwright-core"

rm -rf "$folder"
mkdir -p "$folder"
"$hemline" simulate --garment dress --vertices 240 --stops 0 -q -o "$folder/dress" --clips atomic_walk
"$hemline" train "$folder/dress" --modes 8 --iterations 20 -q -o "$folder/dress.hem"
setsid "$hemline" view "$folder/dress.hem" --clips atomic_walk >"$folder/view.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in {1..600}; do
    address=$(grep -m1 -o 'http://[^ ]*' "$folder/view.log") && break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
done
if grep -q "built without the viewer's page" "$folder/view.log"; then
    skip "the command was built without its page: $(cat "$folder/view.log")"
fi
[[ ${address:-} ]] || { cat "$folder/view.log"; exit 1; }
NODE_PATH=$modules node tests/web/viewer_loads.mjs "$address"

kill -INT $server  # a job in the background would not see it without a session of its own
wait $server || { echo "the server ended with exit code $? after Ctrl-C" >&2; exit 1; }
