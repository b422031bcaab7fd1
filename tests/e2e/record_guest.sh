#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: a recording for each option of record, in the
# folder $1, by the program $2.  record.sh judges them.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1
KTRACE=$2
# Memory of the guest's own: writing elsewhere is kernel work, which -a records.
mkdir /dev/shm/work
cd /dev/shm/work

# Records as NAME: its exit code, messages and seconds go to files.
record() { # name option...
	local start=$SECONDS
	run "$1" "$KTRACE" record -o "$1" "${@:2}"
	echo "$((SECONDS - start))" >"$1.seconds"
}

exit_codes() {
	record code -- sh -c 'exit 7'
	# shellcheck disable=SC2016 # the traced shell's own number
	record signal -- sh -c 'kill -9 $$'
	record absent -- /nonexistent
	record denied -- /etc/passwd
	record usage --buffer 3
	record quiet -q -- true
}

targets() {
	record user --user -- true
	record cpu -C 0 -- sh -c 'ls /etc/apt | wc -l'
	record no-cpu -C 7 -- true
	threads
}

# Three threads that sleep and read, in a program that runs already.
threads() {
	local pid
	"${KTRACE%/*}/tests/e2e/programs/threads" &
	pid=$!
	sleep 0.2
	record pid -p "$pid" --duration 0.1
	kill "$pid"
}

# start/size of a kernel function
range_of() { # name
	awk -v name="$1" 'found { print start, $1; exit }
		$3 == name { found = 1; start = $1 }' /proc/kallsyms |
		while read -r start end; do
			printf '0x%s/0x%x\n' "$start" $((16#$end - 16#$start))
		done
}

# Below empty folders, wherever it is mounted.
HIDDEN=()
hide_tracefs() {
	local folder
	for folder in /sys/kernel/tracing /sys/kernel/debug/tracing; do
		if [[ -d $folder/events ]]; then
			mount -t tmpfs none "$folder"
			HIDDEN+=("$folder")
		fi
	done
}

ways() {
	record duration --duration 0.2 -- sleep 20
	record largest --buffer 128K --max-size 1M -- sh -c 'ls -R /etc; exit 3'
	record threads --threads -- ls -R /etc/apt
	record compress --compress --user -- ls -R /etc/apt
	record threads-not --threads --snapshot -- true
	record snapshot --snapshot --buffer 64K -- ls -R /etc/apt
	record filter --filter vfs_read -- cat /etc/passwd
	record range --filter "$(range_of vfs_read)" -- cat /etc/passwd
	record no-cycles --no-cycles -- true
	record cycles-each --cycles=16 -- true
	record nonsense --filter no_such_function -- true
	# Long enough for some ticks, which raise soft interrupts.
	for level in none sched irq all; do
		# shellcheck disable=SC2016 # for the shell recorded
		record "events-$level" --events "$level" -- sh -c 'ls /etc/apt
			for i in $(seq 20000); do :; done'
	done
	record events-default -- ls /etc/apt
	record everything --everything -- ls /etc/apt
	hide_tracefs
	record events-hidden -- ls /etc/apt
	record events-refused --events sched -- ls /etc/apt
	umount "${HIDDEN[@]}"
	record longer -a --events=sched --buffer 256K -- sh -c 'ls -R /etc/apt | wc -l'
	# Twice, the command in the middle keeps all others from running.
	record lossy -a --buffer 64K -- sh -c 'chrt -f 50 ls -R /etc/apt
		ls /etc/apt; chrt -f 50 ls -R /etc/apt; ls /etc/apt'
}

# A signal ends the recording, and is the command's too.
interrupted() { # name signal
	"$KTRACE" record -o "$1" -- sleep 20 2>"$1.err" &
	local pid=$! code=0
	await_from "$pid" "$1.err" test -s "$1/data"
	sleep 0.3
	kill "-$2" "$pid"
	wait "$pid" || code=$?
	echo "$code" >"$1.code"
}

# Begins at an instant, or not at all.
activated() {
	record activated --activate /1s -- date +%s%N
	record activated-late --activate @1 -- true
	record activated-wrong --activate soon -- true
	"$KTRACE" record -o activated-not --activate +1000s -- true \
		2>activated-not.err &
	local pid=$! code=0
	await_from "$pid" activated-not.err grep -q 'prepared; the recording starts' activated-not.err
	kill -INT "$pid"
	wait "$pid" || code=$?
	echo "$code" >activated-not.code
}

# A snapshot each time that SIGUSR2 comes.
asked() {
	"$KTRACE" record -a --snapshot --buffer 64K -o asked 2>asked.err &
	local pid=$! code=0
	await_from "$pid" asked.err test -s asked/data
	sleep 0.2
	kill -USR2 "$pid"
	sleep 0.2
	kill -INT "$pid"
	wait "$pid" || code=$?
	echo "$code" >asked.code
}

# Makes more trace at each check.
grows_to() { # file bytes
	ls /etc/apt >killed.out
	(($(stat -c %s "$1") >= $2))
}

# The recorder is killed in the middle: when it has written much more than the
# data before the trace.
killed() {
	"$KTRACE" record -a --buffer 128K -o killed 2>killed.err &
	local pid=$! begin
	await_from "$pid" killed.err test -s killed/data
	begin=$(stat -c %s killed/data)
	await_from "$pid" killed.err grows_to killed/data $((begin + 500000))
	kill -9 "$pid"
	wait "$pid" || echo "$?" >killed.code
}

# Recording by an unprivileged user, who may not read symbol addresses.
rights() {
	local code
	release_symbols
	hold_symbols_as setpriv --reuid=65534
	mkdir -m 777 anyone
	(
		cd anyone
		code=0
		setpriv --reuid=65534 --clear-groups "$KTRACE" doctor \
			>doctor.out || code=$?
		echo "$code" >doctor.code
		code=0
		setpriv --reuid=65534 --clear-groups "$KTRACE" record -o any \
			-- true 2>record.err || code=$?
		echo "$code" >record.code
	)
}

# A second user attacks the folder that root records to.
hostile() {
	run hostile python3 \
		"$(dirname "$(realpath "$0")")/hostile_folders.py" "$KTRACE"
	rm -rf /dev/shm/hostile /dev/shm/hostile-victim
}

# A disk that has room for the kernel's copy and a little more.
no_space() {
	local size code=0
	size=$(du -sk code | cut -f 1)
	mkdir small
	mount -t tmpfs -o size=$((size + 1000))k none small
	"$KTRACE" record -o small/full -a --buffer 256K -- \
		dd if=/dev/zero of=/dev/null bs=1 count=50000 \
		>full.out 2>full.err || code=$?
	echo "$code" >full.code
	cp -r small/full full
	umount small
	rmdir small
}

# Enables job control: otherwise background commands would ignore SIGINT.
set -m
hold_symbols
run doctor "$KTRACE" doctor
exit_codes
targets
ways
interrupted interrupted INT
interrupted quitted QUIT
activated
asked
killed
no_space
hostile
rights
save_results "${KTRACE%/*}"
