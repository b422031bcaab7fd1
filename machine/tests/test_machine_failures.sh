#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that failures end with a message and an exit code, and leave nothing
# behind.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12
mkdir "$WORK/mark"

test_commands() {
	run -- no-such-command
	expect_failure "command not there" 127 'no-such-command: No such file'
	run -- /etc/passwd
	expect_failure "command not executable" 126 '/etc/passwd: Permission'
	# shellcheck disable=SC2016
	run -- sh -c 'kill -KILL $$'
	expect "killed by a signal" 137 "$CODE"
}

test_panic() {
	run -- sh -c 'echo c >/proc/sysrq-trigger'
	expect_failure "panic" 125 'the guest panicked: Kernel panic.*sysrq triggered crash'
}

test_time_limit() {
	local start=$SECONDS
	run --timeout 8 --results "$WORK/mark" -- sleep 1000
	expect_failure "time limit" 124 'time limit of 8 s passed'
	# A QEMU that does not exit on request is killed 60 s later.
	expect "time limit: QEMU ends when asked to" yes \
		"$( ((SECONDS - start < 8 + 60)) && echo yes)"
	expect_no_process "time limit: no process left" "path=$WORK/mark"
}

wait_for_end() {
	CODE=0
	wait "$RUNNING" || CODE=$?
	# shellcheck disable=SC2034 # shown when a case fails
	ERR=$(<"$WORK/err")
}

test_signal() { # signal code-when-killed
	start_and_wait --results "$WORK/mark" -- \
		sh -c "trap 'exit 9' $1; echo ready; while :; do sleep 0.1; done"
	kill -s "$1" "$RUNNING"
	wait_for_end
	expect "SIG$1 reaches the command" 9 "$CODE"
	start_and_wait --results "$WORK/mark" -- \
		sh -c "trap 'echo again' $1; echo ready; while :; do sleep 0.1; done"
	kill -s "$1" "$RUNNING"
	# Two signals that arrive before the first is handled count as one.
	await_text again "$WORK/out" "$RUNNING"
	kill -s "$1" "$RUNNING"
	wait_for_end
	expect "a second SIG$1 ends the machine" "$2" "$CODE"
	expect_no_process "SIG$1: no process left" "path=$WORK/mark"
}

# Simulates a hung guest by a stopped QEMU, which does not even exit on request.
# Killing it takes a minute, so the other tests run meanwhile. The time limit
# counts from the machine's start, which must have ended by then: therefore the
# saved state exists before, and the limit is derived from the duration of a
# start here.
begin_hang() {
	local start=$SECONDS
	mkdir "$WORK/hang"
	run --results "$WORK/hang" -- true
	expect "hang: a machine before" 0 "$CODE"
	HANG_S=$((60 + 4 * (SECONDS - start)))
	: >"$WORK/hang.out"
	"$MACHINE" "${RUN[@]}" --timeout "$HANG_S" --results "$WORK/hang" -- \
		sh -c 'echo ready; sleep 1000' \
		>"$WORK/hang.out" 2>"$WORK/hang.err" &
	HANGING=$!
	await_text ready "$WORK/hang.out" "$HANGING"
	CODE=0
	kill -STOP "$(pgrep -P "$HANGING")" 2>"$WORK/err" || CODE=$?
	expect "hang: QEMU is stopped" 0 "$CODE"
}

end_hang() {
	CODE=0
	wait "$HANGING" || CODE=$?
	ERR=$(<"$WORK/hang.err")
	expect_failure "hang" 124 "time limit of $HANG_S s passed"
	expect_no_process "hang: no process left" "path=$WORK/hang"
}

test_killed() {
	start_and_wait --results "$WORK/mark" -- sh -c 'echo ready; sleep 1000'
	kill -KILL "$RUNNING"
	wait_for_end
	expect_no_process "SIGKILL: no process left" "path=$WORK/mark"
}

# The shell starts background commands with SIGINT ignored. Whatever stage the
# machine has reached after 2 s, the signal ends it.
test_early_signal() {
	"$MACHINE" run --no-trace-unit --results "$WORK/mark" -- sleep 1000 \
		>"$WORK/out" 2>"$WORK/err" &
	RUNNING=$!
	sleep 2
	kill -TERM "$RUNNING"
	wait_for_end
	expect "SIGTERM while it starts" 143 "$CODE"
	expect_no_process "early: no process left" "path=$WORK/mark"
}

# A full disk must be reported instead of returning an incomplete result.
test_full_disk() {
	run --results "$WORK/mark" -- sh -c \
		'exec 2>&1; dd if=/dev/zero of=/dev/full bs=1k count=1'
	expect "a full device's error" 1 "$CODE"
}

test_no_files_left() {
	mkdir "$WORK/tmp"
	TMPDIR=$WORK/tmp run --isolated --disk-size 16 -- sh -c 'exit 3'
	expect "no files left: exit code" 3 "$CODE"
	expect "no files left" "" "$(ls -A "$WORK/tmp")"
}

begin_hang
test_commands
test_panic
test_time_limit
test_signal INT 130
test_signal TERM 143
test_killed
test_early_signal
test_full_disk
test_no_files_left
end_hang
