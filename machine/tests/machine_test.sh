# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions shared by the machine's tests (test_machine_*.sh): running it, and
# printing one line per case.
HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
MACHINE=$HERE/../host/machine
WORK=$(mktemp -d)
FAILURES=0
# After this time a machine is considered hung; even a busy host is faster.
LIMIT_S=600
readonly HERE MACHINE WORK LIMIT_S

finish() {
	local code=$?
	rm -rf "$WORK"
	((code == 0)) || exit "$code"
	((FAILURES == 0)) || exit 1
}
trap finish EXIT

# Skips the test with a message, without failing, if the machine is unavailable.
skip_without_machine() { # kernel option...
	"$MACHINE" fetch "${@:2}" --kernel "$1" >"$WORK/fetch" 2>&1 && return
	printf 'skipped: %s: no machine: %s\n' "${0##*/}" \
		"$(tail -n 1 "$WORK/fetch")"
	exit 0
}

# Runs a command; stores its output in OUT, its errors in ERR, its exit code in
# CODE.
# shellcheck disable=SC2034
OUT='' ERR='' CODE=0
capture() {
	CODE=0
	"$@" >"$WORK/out" 2>"$WORK/err" || CODE=$?
	# shellcheck disable=SC2034
	OUT=$(tr -d '\0' <"$WORK/out")
	ERR=$(tr -d '\0' <"$WORK/err")
}

# Most cases need no trace unit; two CPUs start faster than one with the
# deterministic clock, and a saved state starts faster than either.
readonly RUN=(run --discard --fast --no-trace-unit --cpus 2 --timeout "$LIMIT_S")
run() {
	capture "$MACHINE" "${RUN[@]}" "$@"
}

# Like run, but in the background: its output goes to the file out, its errors
# to err and its process ID to RUNNING. Returns when it has printed "ready" or
# has ended.
start_and_wait() { # argument...
	: >"$WORK/out"
	"$MACHINE" "${RUN[@]}" "$@" >"$WORK/out" 2>"$WORK/err" &
	RUNNING=$!
	await_text ready "$WORK/out" "$RUNNING"
}

# Waits until the file has a matching line, or the process has ended.
await_text() { # regular-expression file process
	until grep -q "$1" "$2" || ! kill -0 "$3" 2>/dev/null; do
		sleep 0.1
	done
}

ok() { # name
	printf 'ok: %s: %s\n' "${0##*/}" "$1"
}

not_ok() { # name detail
	printf 'FAILED: %s: %s: %s\n' "${0##*/}" "$1" "$2"
	printf '%s\n' "$ERR" | tail -n 40
	FAILURES=$((FAILURES + 1))
}

# Each function compares two values and prints the case's line.
expect() { # name wanted got
	if [[ $3 == "$2" ]]; then
		ok "$1"
	else
		not_ok "$1" "wanted '$2', got '$3'"
	fi
}

expect_failure() { # name code regular-expression-in-the-errors
	if ((CODE == $2)) && [[ $ERR =~ $3 ]]; then
		ok "$1"
	else
		not_ok "$1" "wanted code $2 and '$3', got code $CODE"
	fi
}

fail() { # what
	printf 'FAIL: %s\n' "$*"
	FAILURES=$((FAILURES + 1))
}

# On the deterministic machine the truth's clock is exact: it must never have
# been corrected at an rdtsc or a reading of the counter.
check_exactness() { # dir cpus
	cat "$1/summary"
	if grep -qv ' lost-track 0$' "$1/summary"; then
		fail "$1: the truth lost track"
	fi
	if (($2 == 1)) && ! grep -q ' corrections 0 ' "$1/summary"; then
		fail "$1: the truth's clock is not exact"
	fi
}

# Checks that no process started by this test outlives it; QEMU's command line
# contains the test's own folder as a mark. A killed process needs a moment to
# disappear.
expect_no_process() { # name mark
	local left
	for _ in {1..300}; do
		left=$(pgrep -f -- "$2" | grep -vx "$$" || true)
		[[ -n $left ]] || break
		sleep 0.1
	done
	expect "$1" "" "$left"
}
