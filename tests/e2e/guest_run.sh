# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests' parts in the virtual machine.

# To print its symbols takes the kernel most of a short recording's time.  From now
# on they are read from memory, as they are now: for those that record often and
# load no code that would be among them.  Once is enough.
hold_symbols() {
	hold_symbols_as command
}

# As whoever runs by that command is shown them.
hold_symbols_as() { # command...
	[ ! -e /dev/shm/kallsyms ] || return 0
	"$@" cat /proc/kallsyms >/dev/shm/kallsyms
	busybox mount --bind /dev/shm/kallsyms /proc/kallsyms
}

release_symbols() {
	busybox umount /proc/kallsyms
	rm /dev/shm/kallsyms
}

# Copies to $RESULTS what the test made, the working directory if nothing is named.  A
# hundred MB take the guest a second: recordings' copies of one kernel go there once.
save_results() { # folder of the built programs [what...]
	"$1/tests/e2e/programs/join_copies"
	shift
	(($#)) || set -- .
	cp -r --preserve=links "$@" "$RESULTS"
}

# Runs a command, whatever becomes of it: what it prints, what it says and its exit
# code go to files here that begin with the name.  It has $LIMIT_S seconds, if that
# is set.
run() { # name command...
	local name=$1 code=0
	shift
	${LIMIT_S:+timeout "$LIMIT_S"} "$@" >"$name.out" 2>"$name.err" || code=$?
	echo "$code" >"$name.code"
}

# Waits until a command succeeds by what a process does that says why not in a file:
# for as long as that runs, and no longer than no busy host takes.  It looks every
# $AWAIT_STEP_S seconds, if that is set.
await_from() { # process file command...
	local end_s=$((SECONDS + 300)) what
	printf -v what '%q ' "${@:3}"
	until "${@:3}"; do
		if ! kill -0 "$1" 2>/dev/null && ! "${@:3}"; then
			fail "ended before '${what% }': $(tail -n 3 "$2")"
		elif ((SECONDS >= end_s)); then
			fail "300 s without '${what% }': $(tail -n 3 "$2")"
		fi
		sleep "${AWAIT_STEP_S:-0.1}"
	done
}

fail() { # what
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit 1
}
