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

((failures == 0))
