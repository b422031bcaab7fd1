#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All end-to-end tests, two at a time; prints each one's lines when it has
# ended.
#
#	run_all.sh [all|full]
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
LEVEL=${1:-all}
WORK=$(mktemp -d)
readonly HERE LEVEL WORK
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$WORK"' EXIT

# A lane runs its tests one after the other.
lane() { # test...
	local test status=0 log
	log=$(mktemp -p "$WORK")
	for test in "$@"; do
		# shellcheck disable=SC2086 # a test and its arguments
		if "$HERE"/$test >"$log" 2>&1; then
			printf '== passed: %s (%d s)\n' "$test" "$SECONDS"
		else
			printf '== FAILED: %s (%d s)\n' "$test" "$SECONDS"
			status=1
		fi
		cat "$log"
	done
	return "$status"
}

first=("functions.sh 6.12 1")
second=("record.sh" "functions.sh 6.1 1 ls sleep-all events"
	"functions.sh 6.12 2 echo echo-all")
# Other tests here, which need no arguments.
for test in "$HERE"/test_*.sh; do
	[[ ! -e $test ]] || first+=("${test##*/}")
done
[[ $LEVEL != full ]] || second+=("functions.sh 6.1 1")
lane "${first[@]}" &
one=$!
lane "${second[@]}" &
two=$!
failed=0
wait "$one" || failed=1
wait "$two" || failed=1
exit "$failed"
