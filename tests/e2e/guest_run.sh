# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests' parts in the virtual machine.

# Makes /proc/kallsyms a copy in memory of its present content, as printing its
# symbols takes the kernel most of a short recording's time: for scripts that
# record often and load no code with symbols. Once is enough.
hold_symbols() {
	hold_symbols_as command
}

# Like hold_symbols(), but with the content that a command's user may read.
hold_symbols_as() { # command...
	[ ! -e /dev/shm/kallsyms ] || return 0
	"$@" cat /proc/kallsyms >/dev/shm/kallsyms
	busybox mount --bind /dev/shm/kallsyms /proc/kallsyms
}

release_symbols() {
	busybox umount /proc/kallsyms
	rm /dev/shm/kallsyms
}

# Copies the given results, by default the working directory, to $RESULTS. A
# hundred MB take the guest a second, so recordings' copies of one kernel are
# linked first.
save_results() { # folder of the built programs [what...]
	"$1/tests/e2e/programs/join_copies"
	shift
	(($#)) || set -- .
	cp -r --preserve=links "$@" "$RESULTS"
}

# Runs a command, which may fail: saves its output, its errors and its exit code
# in files here whose names start with the name. It has $LIMIT_S seconds, if
# that is set.
run() { # name command...
	local name=$1 code=0
	shift
	${LIMIT_S:+timeout "$LIMIT_S"} "$@" >"$name.out" 2>"$name.err" || code=$?
	echo "$code" >"$name.code"
}

# Waits until a command succeeds, as a result of the actions of a process that
# logs its errors to a file: while that process runs, and no longer than even a
# busy host takes. Polls every $AWAIT_STEP_S seconds, if that is set.
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
