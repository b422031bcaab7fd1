#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: recordings with --only, in the folder $1, by the
# program $2, of $3.  gating.sh judges them.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1 KTRACE=$2 PROGRAM=$3
TRACEFS=/sys/kernel/tracing
mkdir /dev/shm/work
cd /dev/shm/work

# A trace buffer of Arm's is filled a quarter of it at a time, and where that is full
# a few branches are in a gap: it is not.
record() { # name option...
	run "$1" "$KTRACE" record -o "$1" --buffer 64M "${@:2}"
}

# Four runs of the program with different choices, and one invalid choice.
choose() {
	# shellcheck disable=SC2016 # for the shell in the recording
	record chosen --only=openat --only=line:choice -- sh -c '
		choose() {
			echo "$1" >choice
			looks=0
			until grep -q "$2" chosen.err; do
				if [ $((looks += 1)) -gt 3000 ]; then
					echo "300 s without: $2" >&2
					exit 1
				fi
				sleep 0.1
			done
		}
		"$0" 5 3
		choose read "from now on read"
		"$0" 5 3
		choose opneat "opneat.*choice is unchanged"
		choose "open at" "open at.*choice is unchanged"
		choose none "from now on none"
		"$0" 5 3
		choose openat,read "from now on openat,read"
		"$0" 5 3' "$PROGRAM"
	[[ $(<chosen.code) != 1 ]] || fail "choose: $(tail -n 3 chosen.err)"
}

record gated --only=openat --only=read -- "$PROGRAM" 40 8
record function --only=vfs_open -- "$PROGRAM" 5 1
choose
# The other recordings look up no function that was loaded since.
hold_symbols
record results --only=openat,read --events=sched,syscalls -- "$PROGRAM" 5 3
record nothing --only=umount -- "$PROGRAM" 1 1
record whole --events=sched -- "$PROGRAM" 40 8
record unknown --only=opneat -- true
record no_probe --only=get_kprobe -- true
record usage --only=open,,at -- true
record no_pipe --only=line:/etc/passwd -- true
grep -c ktrace_hw_ "$TRACEFS/dynamic_events" >left || true
save_results "${KTRACE%/*}"
