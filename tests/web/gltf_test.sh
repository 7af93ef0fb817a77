#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GLB files of garments, by Khronos's validator and by three.js in headless Chromium. Skips (exit code 77)
# where something that it needs is not here; it fetches and installs nothing.
#   tests/web/gltf_test.sh validator|three WRITE_GLBS FOLDER
set -euo pipefail
part=${1:?} write_glbs=${2:?} folder=${3:?}
modules=build/npm/node_modules
skip() {
    echo "SKIPPED: no GLB is tested by $1, for $2 is not here:"
    echo "    scripts/install-packages $3 && scripts/fetch-npm $4"
    exit 77
}
need() {  # who, packages of Debian, packages of npm
    for program in $2; do
        [[ $program == nodejs ]] && program=node
        [[ -n $(command -v "$program") ]] || skip "$1" "$program" "$2" "$3"
    done
    for package in $3; do [[ -e $modules/$package/package.json ]] || skip "$1" "$package" "$2" "$3"; done
}
case $part in
    validator) need "Khronos's validator" nodejs gltf-validator ;;
    three) need "three.js" "nodejs esbuild chromium" "three playwright-core" ;;
    *) sed -n '4,6p' "$0" | cut -c3- >&2; exit 2 ;;
esac

rm -rf "$folder"
"$write_glbs" "$folder"
if [[ $part == validator ]]; then
    node tests/web/validate_gltf.mjs "$folder"/*.glb
    exit
fi
NODE_PATH=$modules esbuild tests/web/gltf_page.ts --bundle --format=esm --target=es2022 --log-level=warning \
    --outfile="$folder/page.js"
CHROMIUM=$(command -v chromium) node tests/web/gltf_test.mjs "$folder"
