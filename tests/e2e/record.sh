#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each option of `ktrace-hw record` has its effect, in the virtual machine;
# perf reads what it wrote.  One line a case.
set -euo pipefail

HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
MACHINE=${MACHINE:-$ROOT/machine/host/machine}
FAILURES=0

expect() { # case wanted got
	if [[ $2 == "$3" ]]; then
		echo "ok: $1"
	else
		echo "FAILED: $1: '$3' is not '$2'"
		FAILURES=$((FAILURES + 1))
	fi
}

# Whether the condition of test(1) behind the case holds.
expect_that() { # case condition...
	local name=$1
	shift
	if test "$@"; then
		echo "ok: $name"
	else
		echo "FAILED: $name: not $*"
		FAILURES=$((FAILURES + 1))
	fi
}

need() { # program
	command -v "$1" >/dev/null || {
		echo "skipped: no $1 here"
		exit 0
	}
}

code_of() { cat "$WORK/$1.code"; }

# Branches, one a line, with the fields asked for.
branches() { # recording fields
	perf script --itrace=b -F "$2" -i "$WORK/$1" 2>/dev/null
}

# Bytes of trace in a recording.
trace_size() { # recording
	perf report -D -i "$WORK/$1" 2>/dev/null |
		sed -n 's/.*PERF_RECORD_AUXTRACE size: \(0x[0-9a-f]*\).*/\1/p' |
		{
			total=0
			while read -r size; do total=$((total + size)); done
			echo "$total"
		}
}

# All that perf complains of, and its decode errors.
complaints() { # recording
	{ perf script --itrace=e -i "$WORK/$1" 2>&1 >/dev/null || true; } |
		grep -cvE '^$' || true
}

check_codes() {
	expect "the command's exit code" 7 "$(code_of code)"
	expect "ended by signal 9" 137 "$(code_of signal)"
	expect "no such command" 127 "$(code_of absent)"
	expect "not executable" 126 "$(code_of denied)"
	expect "wrong usage" 2 "$(code_of usage)"
	expect "no recording of a command that did not run" "" \
		"$(find "$WORK" -maxdepth 1 -name absent)"
}

# perf reads it without complaint, to its end.
check_reading() {
	local name
	for name in code all cpu snapshot filter events longer; do
		expect "perf reads $name" 0 "$(complaints "$name")"
		expect_that "$name has a trace" "$(trace_size "$name")" -gt 1000
	done
}

check_targets() {
	expect "kernel only" 0 "$(branches code ip | grep -cvE "ffffffff|^ *0$" || true)"
	expect_that "--user: user space too" \
		"$(branches user ip | grep -cvE "ffffffff|^ *0$" || true)" -gt 1000
	expect_that "-a: several tasks" \
		"$(branches all tid | sort -u | wc -l)" -gt 2
	expect_that "-C: everything there" \
		"$(branches cpu tid | sort -u | wc -l)" -gt 2
	[[ -e $WORK/pid.code ]] || return 0
	expect "-p ends in time" 0 "$(code_of pid)"
	expect_that "-p: all threads" \
		"$(branches pid tid | sort -u | wc -l)" -ge 3
}

check_ways() {
	expect "--duration ends the command" 143 "$(code_of duration)"
	expect_that "--duration is kept" \
		"$(cat "$WORK/duration.seconds")" -lt 15
	expect "--snapshot keeps one buffer" 65536 "$(trace_size snapshot)"
	expect "--snapshot keeps the end" 1 \
		"$(branches snapshot ip,sym | grep -c do_exit | sed 's/[1-9].*/1/')"
	expect "--filter: one function" vfs_read \
		"$(branches filter ip,sym | awk '$1 !~ /^0*$/ { print $2 }' |
			sort -u | tr '\n' ' ' | sed 's/ *$//')"
	expect_that "--events: system calls" \
		"$(perf script -i "$WORK/events" 2>/dev/null |
			grep -c raw_syscalls:sys_enter)" -gt 50
	expect_that "--buffer: longer than it" \
		"$(trace_size longer)" -gt $((256 << 10))
}

check_accidents() {
	expect "killed" 137 "$(code_of killed)"
	expect_that "what was whole is readable" \
		"$(branches killed ip | wc -l)" -gt 1000
	expect "disk full" 125 "$(code_of full)"
	expect "the message says so" 1 \
		"$(grep -c 'No space left on device' "$WORK/full.err")"
	expect_that "what fitted is readable" \
		"$(branches full ip | wc -l)" -gt 1000
}

main() {
	need perf
	[[ -x $MACHINE ]] || { echo "skipped: no virtual machine" && exit 0; }
	WORK=$(mktemp -d)
	trap 'rm -rf "$WORK"' EXIT
	"$MACHINE" run --timeout 900 --results "$WORK" -- \
		bash "$HERE/record_guest.sh" "$WORK" "$KTRACE"
	check_codes
	check_reading
	check_targets
	check_ways
	check_accidents
	[[ $FAILURES == 0 ]]
}

main "$@"
