# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Tests that start the machine, in two lanes side by side: each lane runs its
# tests one after the other, and shows what one printed when it has ended.
LANES_WORK=$(mktemp -d)
readonly LANES_WORK
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$LANES_WORK"' EXIT

lane() { # folder test...
	local folder=$1 test status=0 log
	shift
	log=$(mktemp -p "$LANES_WORK")
	for test in "$@"; do
		# shellcheck disable=SC2086 # a test and its arguments
		if "$folder"/$test >"$log" 2>&1; then
			printf '== passed: %s (%d s)\n' "$test" "$SECONDS"
		else
			printf '== FAILED: %s (%d s)\n' "$test" "$SECONDS"
			status=1
		fi
		cat "$log"
	done
	return "$status"
}

# Runs the tests in the arrays of these names.  False if one failed.
lanes() { # folder array array
	local -n lanes_first=$2 lanes_second=$3
	local one two failed=0
	lane "$1" "${lanes_first[@]}" &
	one=$!
	lane "$1" "${lanes_second[@]}" &
	two=$!
	wait "$one" || failed=1
	wait "$two" || failed=1
	return "$failed"
}
