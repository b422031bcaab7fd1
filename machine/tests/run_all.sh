#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests that start the machine, two at a time; prints each one's lines
# when it has ended.
#
#	run_all.sh [all|full]
#
# full adds every recording on the other kernel and with two CPUs, and one of
# 60 MB.
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
LEVEL=${1:-all}
WORK=$(mktemp -d)
readonly HERE LEVEL WORK
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$WORK"' EXIT

# A lane runs its tests one after the other.
lane() { # test...
	local test log=$WORK/$BASHPID status=0
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

# Everything is fetched once, and what is missing is said once.
fetch() {
	local kernel
	for kernel in 6.12 6.1; do
		"$HERE/../host/machine" fetch --kernel "$kernel"
	done
}

# Two lanes of about the same length, each with one machine at a time.
first=(conformance.sh test_truth_exec_log.sh test_deterministic.sh
	"conformance.sh 6.1 1 task-cyc" "conformance.sh 6.12 2 all-cyc")
second=(test_machine_{options,fetch,run,failures,shell,fast,devices}.sh
	test_machine_isolated.sh test_trace_unit.sh)
if [[ $LEVEL == full ]]; then
	first+=("conformance.sh 6.12 1 large")
	second+=("conformance.sh 6.1 1" "conformance.sh 6.12 2"
		"conformance.sh 6.1 2")
fi

fetch
lane "${first[@]}" &
pids=($!)
lane "${second[@]}" &
pids+=($!)
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=1
done
exit "$failed"
