#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command's manners: exit codes, what goes to which stream, help with examples for every verb.
#   command_line_test.sh path/to/hemline
set -euo pipefail
hemline=$1
failures=0
fault() { echo "FAULT: $*"; failures=$((failures + 1)); }

# expect CODE ARGUMENTS...: runs the command; leaves its streams in $out and $err
expect() {
    local code=$1 got=0
    shift
    out=$("$hemline" "$@" 2>"$scratch/err") || got=$?
    err=$(<"$scratch/err")
    ((got == code)) || fault "hemline $*: exit code $got, expected $code"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect 0 --version
[[ $out =~ ^hemline\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fault "--version printed '$out'"
expect 0 --help
grep -q 'SYNOPSIS' <<<"$out" || fault "--help has no synopsis"
expect 2
[[ -n $err && -z $out ]] || fault "no verb: the complaint belongs on stderr"
expect 2 no-such-verb
[[ -n $err && -z $out ]] || fault "unknown verb: the complaint belongs on stderr"

verbs=$("$hemline" --help | awk '/^VERBS/{on=1; next} /^[A-Z]/{on=0} on && /^  [a-z]/{print $1}')
[[ -n $verbs ]] || fault "--help lists no verbs"
for verb in $verbs; do
    expect 0 "$verb" --help
    grep -q '^Examples:' <<<"$out" || fault "hemline $verb --help has no examples"
    expect 2 "$verb" --no-such-option
    [[ -n $err && -z $out ]] || fault "hemline $verb --no-such-option: the complaint belongs on stderr"
done

# what is misspelt is named, and the nearest suggested
expect 2 motion
grep -q "did you mean 'motions'" <<<"$err" || fault "no suggestion for a misspelt verb: $err"
expect 2 motions atomic_wolk
grep -q "atomic_walk" <<<"$err" || fault "no suggestion for a misspelt clip: $err"

# results for programs are one JSON document
for arguments in "motions --set atomic" "character female" "retarget atomic_walk --to male --report"; do
    # shellcheck disable=SC2086
    expect 0 $arguments --json
    python3 -m json.tool <<<"$out" >/dev/null || fault "hemline $arguments --json: not JSON"
done

# a full disk is a failure
if [[ -w /dev/full ]] && "$hemline" motions --set atomic >/dev/full 2>/dev/null; then
    fault "results that could not be written went unnoticed"
fi

# nothing that was read is written over
expect 0 retarget atomic_walk --to male -o "$scratch/walk.bvh"
before=$(md5sum <"$scratch/walk.bvh")
expect 2 retarget "$scratch/walk.bvh" --to female -o "$scratch/walk.bvh"
expect 2 retarget "$scratch" --to female -o "$scratch"
[[ $(md5sum <"$scratch/walk.bvh") == "$before" ]] || fault "retarget wrote over its source"
expect 2 retarget "$scratch/walk.bvh" --to female -o "$scratch/walk.fbx"
[[ ! -e $scratch/walk.fbx ]] || fault "an unknown format left something behind"

# several models need a page to be compared in, which must not be one of them
expect 2 evaluate a.hem b.hem recordings
grep -q -- "--html" <<<"$err" || fault "evaluate: several models, and no word of --html: $err"
: >"$scratch/a.hem"
expect 2 evaluate "$scratch/a.hem" recordings --html "$scratch/a.hem"
expect 2 evaluate "$scratch/a.hem" recordings --html "$scratch/no/such/folder.html"
grep -q "no/such" <<<"$err" || fault "evaluate --html: the missing folder is not named: $err"

# what is missing is said, and how to get it
expect 2 evaluate a.hem --html report.html
grep -q "hemline simulate" <<<"$err" || fault "evaluate without recordings does not say how to get some: $err"
expect 2 evaluate a.hem b.hem --html report.html
grep -q "b.hem on is missing" <<<"$err" || fault "evaluate of garments alone does not say what is missing: $err"
expect 2 evaluate "$scratch"
grep -q "hemline train" <<<"$err" || fault "evaluate without a garment does not say how to get one: $err"

# bounds are written as people write them
expect 2 simulate --ease 4
grep -q "not in range 0 to 0.1 (" <<<"$err" || fault "a bound has needless noughts: $err"

# bars are for terminals, and not for --quiet
if command -v script >/dev/null; then
    script -qec "'$hemline' motions --set atomic --measure --quiet" /dev/null >"$scratch/quiet"
    grep -q 'making motions' "$scratch/quiet" && fault "--quiet showed a progress bar"
    script -qec "'$hemline' motions --set atomic --measure" /dev/null >"$scratch/bar"
    grep -q 'making motions' "$scratch/bar" || fault "no progress bar on a terminal"
fi

((failures == 0))
