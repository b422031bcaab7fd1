# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Tests that start the machine, two at a time; shows what each one printed
# when it has ended.
SIDE_WORK=$(mktemp -d)
readonly SIDE_WORK
trap side_end EXIT

# With all that the tests have started: each is a process group.
side_end() {
	local pid
	for pid in $(jobs -p); do
		kill -- "-$pid" 2>/dev/null || true
	done
	rm -rf "$SIDE_WORK"
}

# Waits for one of the tests in the array of that name, by process.
await_test() { # array
	local -n running_tests=$1
	local pid status=0
	wait -n -p pid "${!running_tests[@]}" || status=$?
	if ((status == 0)); then
		printf '== passed: %s (%d s)\n' "${running_tests[$pid]}" "$SECONDS"
	else
		printf '== FAILED: %s (%d s)\n' "${running_tests[$pid]}" "$SECONDS"
	fi
	cat "$SIDE_WORK/$pid"
	unset "running_tests[$pid]"
	return "$status"
}

# Runs the tests, each with its arguments in one word.  False if one failed.
side_by_side() { # folder test...
	local folder=$1 test failed=0
	local -A running=()
	shift
	for test in "$@"; do
		((${#running[@]} < 2)) || await_test running || failed=1
		set -m
		# shellcheck disable=SC2086 # a test and its arguments
		(exec >"$SIDE_WORK/$BASHPID" 2>&1; exec "$folder"/$test) \
			</dev/null &
		set +m
		running[$!]=$test
	done
	while ((${#running[@]})); do
		await_test running || failed=1
	done
	return "$failed"
}
