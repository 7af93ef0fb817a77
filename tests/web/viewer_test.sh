#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The viewer, as a person uses it: simulates and learns a coarse dress, serves it with `hemline view`, and goes
# through the page in headless Chromium (viewer_page.mjs). Skips (exit code 77) where something is not installed.
#   tests/web/viewer_test.sh HEMLINE FOLDER [--update]      --update stores the page's pictures anew
set -euo pipefail
hemline=${1:?} folder=${2:?}
modules=$PWD/build/npm/node_modules
[[ -n $(command -v chromium) && -n $(command -v node) && -e $modules/playwright-core/package.json ]] || {
    echo "SKIPPED: the viewer's page is not tested, for Chromium, Node or playwright-core is not here:"
    echo "    scripts/install-packages chromium nodejs && scripts/fetch-npm playwright-core"
    exit 77
}
rm -rf "$folder"
mkdir -p "$folder"
"$hemline" simulate --garment dress --vertices 300 --stops 1 -q -o "$folder/dress" \
    --clips train_02_walk_normal train_05_run_normal train_25_duck_walking test_01_combination
"$hemline" train "$folder/dress" --model S --modes 16 --iterations 150 -q -o "$folder/S.hem"
for model in A C; do
    "$hemline" train "$folder/dress" --model $model --modes 16 -q -o "$folder/$model.hem"
done

# HEM_VIEWER_PAGE: a folder made by scripts/build-web-viewer, for those who work on the page
page=(${HEM_VIEWER_PAGE:+--page "$HEM_VIEWER_PAGE"})
"$hemline" view "$folder"/{S,C,A}.hem --recordings "$folder/dress" --clips test_01_combination "${page[@]}" \
    >"$folder/view.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait' EXIT
for _ in {1..600}; do
    address=$(grep -m1 -o 'http://[^ ]*' "$folder/view.log") && break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
done
if grep -q "built without the viewer's page" "$folder/view.log"; then
    echo "SKIPPED: the viewer's page is not tested: $(cat "$folder/view.log")"
    exit 77
fi
[[ ${address:-} ]] || { cat "$folder/view.log"; exit 1; }
NODE_PATH=$modules node tests/web/viewer_page.mjs "$address" "$folder/pictures" "${@:3}"
