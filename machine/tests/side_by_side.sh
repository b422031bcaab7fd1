# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Tests that start the machine, side by side, as many as there are CPUs; those that
# do nothing but wait for most of their time are beside these.  Shows what
# each one printed when it has ended.
SIDE_WORK=$(mktemp -d)
SIDE_MOST=$(nproc)
readonly SIDE_WORK SIDE_MOST
trap side_end EXIT

# With all that the tests have started: each is a process group.
side_end() {
	local pid
	for pid in $(jobs -p); do
		kill -- "-$pid" 2>/dev/null || true
	done
	rm -rf "$SIDE_WORK"
}

# Sets ENDED to the process of one of the tests in the array of that name, when
# that has ended.
await_end() { # array
	local -n running_tests=$1
	while :; do
		for ENDED in "${!running_tests[@]}"; do
			kill -0 "$ENDED" 2>/dev/null || return 0
		done
		sleep 0.1
	done
}

# Waits for one of the tests in the array of that name, by process.  Bash may
# have forgotten a job that has ended, so each leaves its exit code in a file:
# one without was killed.
await_test() { # array
	local -n ended_tests=$1
	local ENDED status took
	await_end "$1"
	status=$(cat "$SIDE_WORK/$ENDED.code" 2>/dev/null) ||
		status='no exit code'
	took=$(tr '\n' ' ' <"$SIDE_WORK/$ENDED.took" 2>/dev/null) || took=''
	if [[ $status == 0 ]]; then
		printf '== passed: %s (%sof %d s)\n' "${ended_tests[$ENDED]}" \
			"$took" "$SECONDS"
	else
		printf '== FAILED: %s (%sof %d s): %s\n' \
			"${ended_tests[$ENDED]}" "$took" "$SECONDS" "$status"
	fi
	cat "$SIDE_WORK/$ENDED" || true
	unset "ended_tests[$ENDED]"
	[[ $status == 0 ]]
}

# Leaves what a test prints, the time that it takes on the wall and on CPUs (of
# the user and of the system) and its exit code in files named by its process.
run_apart() { # test argument...
	local status=0 start_s=$SECONDS cpu file=$SIDE_WORK/$BASHPID
	exec >"$file" 2>&1
	"$@" || status=$?
	times >"$file.took"
	cpu=$(tail -n 1 "$file.took")
	echo "$((SECONDS - start_s)) s, CPUs $cpu," >"$file.took"
	echo "$status" >"$file.code"
}

# A fifth of its time is a CPU's.
waits_mostly() { # test
	[[ $1 == *test_machine_failures.sh ]]
}

# Of the tests in the array of that name those that keep a CPU busy.
count_busy() { # array
	local -n counted_tests=$1
	local test busy=0
	for test in "${counted_tests[@]}"; do
		waits_mostly "$test" || busy=$((busy + 1))
	done
	echo "$busy"
}

# Runs the tests, each with its arguments in one word.  False if one failed.
side_by_side() { # folder test...
	local folder=$1 test failed=0
	local -A running=()
	shift
	for test in "$@"; do
		until waits_mostly "$test" ||
			(($(count_busy running) < SIDE_MOST)); do
			await_test running || failed=1
		done
		set -m
		# shellcheck disable=SC2086 # a test and its arguments
		run_apart "$folder"/$test </dev/null &
		set +m
		running[$!]=$test
	done
	while ((${#running[@]})); do
		await_test running || failed=1
	done
	return "$failed"
}
