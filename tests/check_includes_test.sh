#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The include check passes on the project, and finds each of the four faults of its fixture.
set -euo pipefail
scripts/check-includes
if faults=$(scripts/check-includes tests/fixtures/bad_includes); then
    echo "the check accepted a fixture that breaks its rules"
    exit 1
fi
for expected in 'core must not use <assimp' 'core must not include hem/character' \
    'not on <vector>' 'runtime must not include hem/core'; do
    grep -qF "$expected" <<<"$faults" || { echo "not found: $expected"; exit 1; }
done
