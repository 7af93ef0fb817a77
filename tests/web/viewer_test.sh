#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The viewer, as a person uses it: simulates and learns a coarse dress, serves it with `hemline view`, and goes
# through the page in headless Chromium (viewer_page.mjs; viewer_neural.mjs with Model N first). Skips (exit code
# 77) where something is not installed.
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

"$hemline" poses --garment dress --vertices 300 --count 60 -q -o "$folder/poses"
"$hemline" train "$folder/poses" --model N --modes 16 --layers 32,32 --epochs 100 -q -o "$folder/N.hem"

# HEM_VIEWER_PAGE: a folder made by scripts/build-web-viewer, for those who work on the page
page=(${HEM_VIEWER_PAGE:+--page "$HEM_VIEWER_PAGE"})
server=
stop() {
    [[ -z $server ]] || kill $server 2>/dev/null || true
    wait
    server=
}
trap stop EXIT
# goThrough SCRIPT LETTER... [--update]
goThrough() {
    local script=$1 files=() log=$folder/${1%.mjs}.log
    shift
    while [[ ${1:-} == ? ]]; do files+=("$folder/$1.hem") && shift; done
    "$hemline" view "${files[@]}" --recordings "$folder/dress" --clips test_01_combination "${page[@]}" >"$log" 2>&1 &
    server=$!
    for _ in {1..600}; do
        address=$(grep -m1 -o 'http://[^ ]*' "$log") && break
        kill -0 $server 2>/dev/null || break
        sleep 0.1
    done
    if grep -q "built without the viewer's page" "$log"; then
        echo "SKIPPED: the viewer's page is not tested: $(cat "$log")"
        exit 77
    fi
    [[ ${address:-} ]] || { cat "$log"; exit 1; }
    local passed=0
    NODE_PATH=$modules node "tests/web/$script" "$address" "$folder/pictures" "$@" || passed=1
    stop
    return $passed
}
failed=0
goThrough viewer_page.mjs S C A "${@:3}" || failed=1
goThrough viewer_neural.mjs N S "${@:3}" || failed=1
exit $failed
