#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A small report, written and opened in headless Chromium. Skips (exit code 77) where Chromium, Node or
# playwright-core cannot be had.
#   tests/web/report_test.sh HEMLINE FOLDER
set -euo pipefail
hemline=${1:?} folder=${2:?}
for needed in chromium node; do
    command -v $needed >/dev/null && continue
    echo "SKIPPED: the report is not opened in a browser: scripts/install-packages chromium nodejs"
    exit 77
done
scripts/fetch-npm playwright-core || { echo "SKIPPED: playwright-core cannot be fetched"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
"$hemline" simulate --garment dress --vertices 240 --stops 1 -q \
    --clips train_01_walk_slow train_05_run_normal train_27_jump_up test_03_combination -o "$folder/set"
"$hemline" train "$folder/set" --model C --modes 8 -q -o "$folder/C.hem"
"$hemline" evaluate "$folder/C.hem" skinning "$folder/set" --chaos 0 -q --html "$folder/report.html"
"$hemline" poses --garment skirt --vertices 200 --count 20 -q -o "$folder/poses"
"$hemline" train "$folder/poses" --model N --modes 4 --layers 8 --epochs 20 -q -o "$folder/N.hem"
"$hemline" evaluate "$folder/N.hem" "$folder/poses" --part training -q --html "$folder/poses.html"
NODE_PATH=$PWD/build/npm/node_modules node tests/web/report_test.mjs "$folder/report.html" "$folder/poses.html"
