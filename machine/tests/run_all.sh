#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests that start the machine, two at a time; prints each one's lines
# when it has ended.
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
	local test name status=0
	for test in "$@"; do
		name=${test%% *}
		name=${name##*/}
		# shellcheck disable=SC2086 # a test and its arguments
		if "$HERE"/$test >"$WORK/$name" 2>&1; then
			printf '== passed: %s (%d s)\n' "$test" "$SECONDS"
		else
			printf '== FAILED: %s (%d s)\n' "$test" "$SECONDS"
			status=1
		fi
		cat "$WORK/$name"
	done
	return "$status"
}

# Everything is fetched once, and what is missing is said once.
fetch() {
	local kernel
	for kernel in 6.12 6.1; do
		"$HERE/../host/machine" fetch --kernel "$kernel"
	done
}

fetch
tests=(test_machine_{options,fetch,run,failures,shell,fast,devices}.sh
	"test_trace_unit.sh $LEVEL")
if [[ $LEVEL == full ]]; then
	tests+=(test_machine_isolated.sh test_deterministic.sh
		test_truth_exec_log.sh)
fi
lane "conformance.sh $LEVEL" &
first=$!
lane "${tests[@]}" "conformance.sh smoke" &
second=$!
failed=0
wait "$first" || failed=1
wait "$second" || failed=1
exit "$failed"
