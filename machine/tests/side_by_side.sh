# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Runs tests that start the machine side by side, as many as there are CPUs;
# tests that mostly wait run in addition. Prints each test's output when it has
# ended.
SIDE_WORK=$(mktemp -d)
SIDE_MOST=$(nproc)
readonly SIDE_WORK SIDE_MOST
trap side_end EXIT

# Also kills all processes that the tests have started: each test is a process
# group.
side_end() {
	local pid
	for pid in $(jobs -p); do
		kill -- "-$pid" 2>/dev/null || true
	done
	rm -rf "$SIDE_WORK"
}

# Waits until one of the tests in the named array has ended, and sets ENDED to
# its process ID.
await_end() { # array
	local -n running_tests=$1
	while :; do
		for ENDED in "${!running_tests[@]}"; do
			kill -0 "$ENDED" 2>/dev/null || return 0
		done
		sleep 0.1
	done
}

# Adds the ended test to the summary of failures, with the first lines that name
# a failure.
note_failure() { # test
	{
		printf 'FAILED: %s\n' "$1"
		grep -aE '^(FAILED|-- FAILED)|: FAILED: ' "$SIDE_WORK/$ENDED" |
			head -n 8 | sed 's/^/    /' || true
		printf '    repeat it with: %s%s%s\n' \
			"${KTRACE_FULL:+KTRACE_FULL=1 }" "$SIDE_FOLDER" "$1"
	} >>"$SIDE_WORK/failures"
}

# Waits for one of the tests in the named array, by process ID. Bash may have
# forgotten a job that has ended, so each test writes its exit code to a file: a
# test without one was killed.
await_test() { # array
	local -n ended_tests=$1
	local ENDED status took
	await_end "$1"
	status=$(cat "$SIDE_WORK/$ENDED.code" 2>/dev/null) ||
		status='no exit code'
	took=$(tr '\n' ' ' <"$SIDE_WORK/$ENDED.took" 2>/dev/null) || took=''
	[[ $status == 0 ]] || note_failure "${ended_tests[$ENDED]}"
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

# Runs a test; writes its output, its real, user and system time and its exit
# code to files named after its process ID.
run_apart() { # test argument...
	local status=0 start_s=$SECONDS cpu file=$SIDE_WORK/$BASHPID
	exec >"$file" 2>&1
	"$@" || status=$?
	times >"$file.took"
	cpu=$(tail -n 1 "$file.took")
	echo "$((SECONDS - start_s)) s, CPUs $cpu," >"$file.took"
	echo "$status" >"$file.code"
}

# Returns whether the test mostly waits: it uses a CPU for a fifth to two thirds
# of its time, and otherwise waits for time limits, the network and the disk.
waits_mostly() { # test
	[[ $1 == *@(test_machine_failures|test_machine_fetch|test_machine_keep|test_machine_devices|test_deterministic|store).sh ]]
}

# Returns whether the command is true for a test of the named array.
is_any() { # command array
	local -n looked_at=$2
	local test
	for test in "${looked_at[@]}"; do
		! "$1" "$test" || return 0
	done
	return 1
}

# Counts the tests in the named array that keep a CPU busy.
count_busy() { # array
	local -n counted_tests=$1
	local test busy=0
	for test in "${counted_tests[@]}"; do
		waits_mostly "$test" || busy=$((busy + 1))
	done
	echo "$busy"
}

# Returns whether this is one of the other builds, whose programs some tests
# run.
makes_programs() { # test
	[[ $1 == *scripts/suites.sh* ]]
}

takes_programs() { # test
	! makes_programs "$1" && [[ $1 == *arm64* || $1 == *recorded/all.sh* ]]
}

# Returns whether the test may start beside those in the array running: two that
# wait would take a CPU from the others.
may_start() { # test busy
	if waits_mostly "$1"; then
		! is_any waits_mostly running
	else
		(($2 < SIDE_MOST))
	fi
}

# Sets NEXT to the index of the first test in the array waiting that may start
# beside the tests in the array running.
find_next() {
	local busy
	busy=$(count_busy running)
	for NEXT in "${!waiting[@]}"; do
		may_start "${waiting[NEXT]}" "$busy" || continue
		! takes_programs "${waiting[NEXT]}" ||
			! is_any makes_programs running ||
			continue
		return 0
	done
	return 1
}

# Runs the tests, each with its arguments in one word, in order, except that
# tests wait for the builds they need. Returns false if one failed; the last
# output is then a summary of failures, with the commands that repeat them.
side_by_side() { # folder test...
	local folder=$1 failed=0 NEXT
	local -a waiting=("${@:2}")
	local -A running=()
	local SIDE_FOLDER=
	[[ $folder == . ]] || SIDE_FOLDER=$(realpath --relative-to=. "$folder")/
	while ((${#waiting[@]} + ${#running[@]})); do
		if ! find_next; then
			await_test running || failed=1
			continue
		fi
		set -m
		# shellcheck disable=SC2086 # a test and its arguments
		run_apart "$folder"/${waiting[NEXT]} </dev/null &
		set +m
		running[$!]=${waiting[NEXT]}
		unset "waiting[NEXT]"
	done
	[[ $failed == 0 ]] || cat "$SIDE_WORK/failures"
	return "$failed"
}
