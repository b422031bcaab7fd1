#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: makes recordings that are disturbed, into the
# folder $1, by the program $2. $3 of them are killed, at times chosen by the
# seed $4. The following arguments select parts: kills, accidents, full_disks,
# two_at_once, switched_off, switched_on. judge_faults.py judges them.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1 KTRACE=$2 KILLS=$3 RANDOM=$4
# Memory of the guest's own: writing elsewhere is kernel work, which -a records.
mkdir /dev/shm/work
cd /dev/shm/work
# The recorded command: writes its process id, then works and sleeps.
# shellcheck disable=SC2016 # for the shell recorded
readonly WORKLOAD='echo $$ >"$1.ran"
	for i in 1 2 3 4; do ls /etc/apt >/dev/null; sleep 0.02; done'
# shellcheck disable=SC2016
readonly LONG_WORKLOAD=$WORKLOAD'
	until [ -e "$1.over" ]; do
		ls /etc/apt >/dev/null; sleep 0.02
		[ -e "$1.back" ] || continue
		rm "$1.back"
		taskset 2 dd if=/dev/zero of=/dev/null bs=1 count=300 2>/dev/null
		: >"$1.did"
	done'

start() { # name workload option...
	"$KTRACE" record --events=sched --buffer 256K -o "$1" "${@:3}" -- \
		sh -c "$2" sh "$1" >"$1.out" 2>"$1.err" &
	RECORDER=$!
}

# Saves the recorder's exit code; a stopped recorder has not ended. The shell's
# message about a killed one is dropped.
finish() { # name
	local code=147 end_s=$((SECONDS + 300))
	while ((code == 147)); do
		((SECONDS < end_s)) || fail "$1: its recorder is stopped for 300 s"
		code=0
		{ wait "$RECORDER" || code=$?; } 2>/dev/null
	done
	echo "$code" >"$1.code"
}

record() { # name option...
	start "$1" "$WORKLOAD" "${@:2}"
	finish "$1"
}

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# Makes an undisturbed recording, whose length is the range of times at which
# others are killed; most of it is spent copying the kernel, and TRACE_MS of it
# are traced.
whole() {
	local begin
	begin=$(now_ms)
	record whole -a
	LENGTH_MS=$(($(now_ms) - begin))
	TRACE_MS=$((10 * 10#$(sed -n 's/.*: whole: \([0-9]*\)\.\([0-9]*\) s, .*/\1\2/p' \
		whole.err)))
}

# Hard-links the copies of the kernel, which are mostly the same.
share_copies() {
	"${KTRACE%/*}/tests/e2e/programs/join_copies"
}

wait_for_command() { # name
	AWAIT_STEP_S=0.01 await_from "$RECORDER" "$1.err" test -s "$1.ran"
}

# Kills the recorder at any time between its start and its end, or while it
# traces. The command it left running is killed as well.
killed() { # name all|traced
	local moment=$((RANDOM % (LENGTH_MS + 20)))
	start "$1" "$WORKLOAD" -a
	if [[ $2 == traced ]]; then
		moment=$((RANDOM % (TRACE_MS + 20)))
		wait_for_command "$1"
	fi
	sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
	kill -9 "$RECORDER" 2>/dev/null || true
	finish "$1"
	sleep 0.05
	[[ ! -s $1.ran ]] || kill -9 "$(<"$1.ran")" 2>/dev/null || true
	share_copies
}

kills() {
	local i
	for ((i = 0; i < KILLS; i++)); do
		killed "killed-$i" "$( ((i % 2)) && echo traced || echo all)"
	done
}

# Runs a command in the middle of a recording.
amid() { # name option... -- command...
	local name=$1 code=0
	local -a options=()
	shift
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	start "$name" "$LONG_WORKLOAD" "${options[@]}"
	wait_for_command "$name"
	sleep 0.05
	"$@" >"$name.fault" 2>&1 || code=$?
	echo "$code" >"$name.fault_code"
	sleep 0.05
	: >"$name.over"
	finish "$name"
}

stop() {
	kill -STOP "$RECORDER"
	sleep 1
	kill -CONT "$RECORDER"
}

# Another recorder, while the one above records.
meet() { # name option...
	local first=$RECORDER
	record "$@"
	RECORDER=$first
}

two_at_once() {
	amid cpus-first -a -- meet cpus-second -a
	amid cpus-first-again -a -- meet task-second
	amid task-first -- meet cpus-second-again -a
	amid tasks-first -- meet tasks-second
}

load_module() {
	local file
	file=$(echo "/lib/modules/$(uname -r)/kernel/drivers/net/dummy.ko"*)
	if [[ $file == *.xz ]]; then
		busybox xzcat "$file" >dummy.ko
	else
		cp "$file" dummy.ko
	fi
	busybox insmod dummy.ko
	rm dummy.ko
}

# An hour on, and back: it is over before and after its time by that clock.
set_clock() {
	date -s "+1 hour"
	sleep 0.05
	date -s "-2 hours"
	sleep 0.05
	date -s "+1 hour"
}

# The recording ends in time, by a clock that cannot be set.
timed() {
	local begin end
	read -r begin _ </proc/uptime
	start timed "$LONG_WORKLOAD" -a --duration 0.5
	wait_for_command timed
	date -s "-1 hour" >timed.fault
	finish timed
	date -s "+1 hour" >>timed.fault
	read -r end _ </proc/uptime
	: >timed.over
	echo "$begin $end" >timed.uptime
}

switch_cpu() { # 0|1...
	local value
	for value in "$@"; do
		echo "$value" >/sys/devices/system/cpu/cpu1/online
		sleep 0.1
	done
}

# A thread that is moved to the CPU that came back, or was offline at the start,
# runs untraced.
run_there() {
	switch_cpu "$@"
	taskset 2 ls /etc/apt
}

# The recorded command runs on the CPU that came back, after the recorder has
# opened its events again.
go_back() { # name
	switch_cpu 0 1
	await_from "$RECORDER" "$1.err" \
		grep -q "CPU 1 was switched off for" "$1.err"
	: >"$1.back"
	await_from "$RECORDER" "$1.err" test -e "$1.did"
}

switched_off() {
	amid unplugged -a -- switch_cpu 0
	switch_cpu 1
	amid replugged -a -- run_there 0 1
	amid replugged-task -- go_back replugged-task
	amid replugged-threads -a --threads --buffer 8M -- run_there 0 1
}

# CPU 1 is offline at the start: it is traced from its coming online on, but not
# if what records is set up for each CPU.
switched_on() {
	switch_cpu 0
	amid plugged -a -- run_there 1
	switch_cpu 0
	amid plugged-filter -a --filter vfs_read -- run_there 1
	switch_cpu 0
	amid plugged-threads -a --threads --buffer 8M -- run_there 1
	switch_cpu 0
	amid plugged-snapshot -a --snapshot -- run_there 1
	switch_cpu 0
	amid plugged-task -- run_there 1
	switch_cpu 0
	amid plugged-twice -a -- run_there 1 0 1
	switch_cpu 0
	amid plugged-briefly -a -- switch_briefly
	amid plugged-graph -a --source function_graph --filter cpuhp_thread_fun -- \
		run_there 1
	switch_cpu 0
}

# The CPU is offline again before the recorder's next turn.
switch_briefly() {
	kill -STOP "$RECORDER"
	run_there 1
	switch_cpu 0
	kill -CONT "$RECORDER"
}

# Prints the pages that a file occupies: it may have holes.
pages_of() { # file
	echo $(($(stat -c %b "$1") / 8))
}

# Records on a disk that is full at some point.
full() { # name mount-options
	local name=full-$1 code=0
	mkdir small
	mount -t tmpfs -o "$2" none small
	"$KTRACE" record -a --events=sched --buffer 256K -o small/full -- \
		sh -c "$WORKLOAD" sh "$PWD/$name" >"$name.out" 2>"$name.err" ||
		code=$?
	echo "$code" >"$name.code"
	if [[ -d small/full ]]; then
		cp -r small/full "$name"
		share_copies
	fi
	umount small
	rmdir small
}

# Each of the recorder's files in turn does not fit, or only partly; then cannot
# be created at all.
full_disks() {
	local file pages before=0 quarter inodes
	for file in kcore modules kallsyms vdso cgroups; do
		pages=$(pages_of "whole/kcore_dir/$file")
		((!before)) || full "$file-begin" "size=$((before * 4))k"
		((pages < 2)) ||
			full "$file-end" "size=$(((before + pages - 1) * 4))k"
		before=$((before + pages))
	done
	pages=$(pages_of whole/data)
	full data-begin "size=$((before * 4))k"
	for quarter in 1 2 3; do
		full "data-quarter-$quarter" \
			"size=$(((before + pages * quarter / 4) * 4))k"
	done
	for ((inodes = 1; inodes < 11; inodes++)); do
		full "inodes-$inodes" "nr_inodes=$inodes"
	done
}

accidents() {
	amid stopped -a -- stop
	load_module
	amid unloaded -a -- busybox rmmod dummy
	amid clock -a -- set_clock
	timed
}

# Enables job control: otherwise background commands would ignore SIGINT.
set -m
# In the other parts modules come and go, and each file is too large for a disk.
[[ ${*:5} != kills ]] || hold_symbols
whole
for part in "${@:5}"; do
	"$part"
done
save_results "${KTRACE%/*}"
