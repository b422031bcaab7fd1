# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of the machine (test_machine_*.sh) share: running it, and one
# line for each case.
HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
MACHINE=$HERE/../host/machine
WORK=$(mktemp -d)
FAILURES=0
# When a machine is taken to hang: no busy host reaches that.
LIMIT_S=600
readonly HERE MACHINE WORK LIMIT_S

finish() {
	local code=$?
	rm -rf "$WORK"
	((code == 0)) || exit "$code"
	((FAILURES == 0)) || exit 1
}
trap finish EXIT

# The machine cannot be had: say so, that is no failure.
skip_without_machine() { # kernel option...
	"$MACHINE" fetch "${@:2}" --kernel "$1" >"$WORK/fetch" 2>&1 && return
	printf 'skipped: %s: no machine: %s\n' "${0##*/}" \
		"$(tail -n 1 "$WORK/fetch")"
	exit 0
}

# Runs a command; leaves its output in OUT, its errors in ERR, its exit code
# in CODE.
# shellcheck disable=SC2034
OUT='' ERR='' CODE=0
capture() {
	CODE=0
	"$@" >"$WORK/out" 2>"$WORK/err" || CODE=$?
	# shellcheck disable=SC2034
	OUT=$(tr -d '\0' <"$WORK/out")
	ERR=$(tr -d '\0' <"$WORK/err")
}

# Most cases need no trace unit, two CPUs start faster than the deterministic
# clock's one, and a saved state faster than either.
readonly RUN=(run --discard --fast --no-trace-unit --cpus 2 --timeout "$LIMIT_S")
run() {
	capture "$MACHINE" "${RUN[@]}" "$@"
}

# The same in the background, its output in out, its errors in err and its
# process in RUNNING; returns when it has said "ready" or has ended.
start_and_wait() { # argument...
	: >"$WORK/out"
	"$MACHINE" "${RUN[@]}" "$@" >"$WORK/out" 2>"$WORK/err" &
	RUNNING=$!
	await_text ready "$WORK/out" "$RUNNING"
}

# Until the file has such a line, or the process has ended.
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

# Each compares and prints the case's line.
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

# Nothing that this test started may outlive it; QEMU's command line has the
# test's own folder as a mark.  Who was killed needs a moment to be gone.
expect_no_process() { # name mark
	local left
	for _ in {1..300}; do
		left=$(pgrep -f -- "$2" | grep -vx "$$" || true)
		[[ -n $left ]] || break
		sleep 0.1
	done
	expect "$1" "" "$left"
}
