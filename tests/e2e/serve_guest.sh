#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: `ktrace-hw serve`, with the rights that systemd's
# unit leaves it, and unprivileged programs as its clients; misbehave.py sends
# requests that must be refused. The build is in the folder $2, the project in
# $3; output and files are saved in the folder $1. With $4, switch_cpu, only a CPU
# is switched while clients are served.
set -uo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1 KTRACE=$2/ktrace-hw PROGRAMS=$2/tests/e2e/programs
# A copy, since the user nobody may not be able to enter the project's folder.
MISBEHAVE=/dev/shm/work/misbehave.py
# The built libraries, which the machine's own files may lack.
export LD_LIBRARY_PATH=$2/lib
# And the right to change the socket's group.
RIGHTS=-all,+chown$(sed -n 's/^CapabilityBoundingSet=//p' "$3/serve/systemd/ktrace-hw.service" |
	tr '[:upper:]' '[:lower:]' | sed 's/\(^\| \)cap_/,+/g')
readonly RESULTS KTRACE PROGRAMS MISBEHAVE RIGHTS LIMIT_S=120 USER_ID=65534 GROUP_ID=100
export KTRACE_HW_SOCKET=/run/test-ktrace-hw.sock
# The host's comes with the command, and may be a folder of its user's alone.
unset TMPDIR
trap "" PIPE
mkdir -p /dev/shm/work
cd /dev/shm/work || exit 1
cp "$3/tests/e2e/misbehave.py" "$MISBEHAVE"
chmod 644 "$MISBEHAVE"

# The user nobody, with the group or without.
readonly MEMBER=(setpriv --reuid "$USER_ID" --regid "$USER_ID" --groups
	"$GROUP_ID")
readonly OUTSIDER=(setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups)

await() { # command...
	local i
	for ((i = 0; i < 400; i++)); do
		! "$@" || return 0
		sleep 0.05
	done
	return 1
}

start_service() { # name
	setpriv --bounding-set "$RIGHTS" "$KTRACE" serve \
		--socket "$KTRACE_HW_SOCKET" --group users 2>"$1.err" &
	SERVICE=$!
	await grep -q served "$1.err"
}

# As root, by its own rights; then as nobody, by the service's.
compare() {
	local name
	for name in own served; do
		mkdir -m 777 "$name"
		touch "/scratch/$name"
		chmod 666 "/scratch/$name"
	done
	run own "$PROGRAMS/inband" examples own /scratch/own
	run served "${MEMBER[@]}" "$PROGRAMS/inband" examples served /scratch/served
	run watch "${MEMBER[@]}" "$PROGRAMS/inband" watch . /scratch/served
	stat -c '%a %U %G' "$KTRACE_HW_SOCKET" >socket.out
}

refuse() {
	run outsider "${OUTSIDER[@]}" "$PROGRAMS/inband" examples . /dev/null
	"${MEMBER[@]}" sleep 1000 &
	run misbehave "${MEMBER[@]}" /usr/bin/python3 "$MISBEHAVE" \
		"$KTRACE_HW_SOCKET" $!
	kill $!
	# A client's identity is checked even if the socket is open to all.
	chmod 666 "$KTRACE_HW_SOCKET"
	run open "${OUTSIDER[@]}" "$PROGRAMS/inband" examples . /dev/null
	chmod 660 "$KTRACE_HW_SOCKET"
	# The misbehaviour of others does not disturb this client.
	run again "${MEMBER[@]}" "$PROGRAMS/inband" misuse . /dev/null
}

# The service is killed within a bracket; its leftover files do not keep the
# next one from starting.
kill_it() {
	mkfifo line
	run orphan "${MEMBER[@]}" "$PROGRAMS/inband" orphan . /dev/null <line &
	exec 3>line
	await grep -q before orphan.out
	kill -KILL "$SERVICE"
	{ wait "$SERVICE"; } 2>/dev/null
	echo >&3
	exec 3>&-
	wait $!
	start_service service2
	run next "${MEMBER[@]}" "$PROGRAMS/inband" misuse . /dev/null
	kill -TERM "$SERVICE"
	wait "$SERVICE"
	echo $? >serve.code
	ls "$KTRACE_HW_SOCKET" /var/tmp/ktrace-hw-folder.* >left.out 2>&1
}

has_sums() {
	"${MEMBER[@]}" "$KTRACE" top "--service=$KTRACE_HW_SOCKET" >sums.json \
		2>sums.err && grep -q pipe_read sums.json
}

# The service also adds up the sleeps of all programs, which members may read.
add_up() {
	local program
	setpriv --bounding-set "$RIGHTS" "$KTRACE" serve --sums=1 \
		--socket "$KTRACE_HW_SOCKET" --group users 2>summing.err &
	SERVICE=$!
	await grep -q served summing.err
	while :; do "$PROGRAMS/waits" pipe; done >/dev/null 2>&1 &
	program=$!
	await_from "$SERVICE" sums.err has_sums
	kill "$program"
	{ wait "$program"; } 2>/dev/null
	run no_sums "${OUTSIDER[@]}" "$KTRACE" top "--service=$KTRACE_HW_SOCKET"
	kill -TERM "$SERVICE"
	wait "$SERVICE"
	echo $? >summing.code
	ls /var/tmp/ktrace-hw-folder.* >summing.left 2>&1
}

# The socket is made by another, as systemd does.
activate() {
	command -v systemd-socket-activate >/dev/null || return 0
	setpriv --bounding-set "$RIGHTS" systemd-socket-activate --seqpacket \
		-l "$KTRACE_HW_SOCKET" "$KTRACE" serve --group users \
		2>activated.err &
	await test -S "$KTRACE_HW_SOCKET"
	chmod 666 "$KTRACE_HW_SOCKET"
	run activated "${MEMBER[@]}" "$PROGRAMS/inband" misuse . /dev/null
	kill -TERM $!
	wait $!
	echo $? >activated.ended
}

has_copies() {
	[[ $(wc -l <copies.out) == "$TURN" ]]
}

next_copy() {
	TURN=$((TURN + 1))
	echo >&3
	await has_copies
}

# The kernel patches code on the CPU that runs the command.
patch_on_cpu_1() {
	# shellcheck disable=SC2016 # for the other shell
	taskset 2 sh -c 'echo $((1 - $(cat /proc/sys/kernel/sched_schedstats))) \
		>/proc/sys/kernel/sched_schedstats'
}

# Two copies in a row without a change, after a patch on CPU 1, after CPU 1 was
# switched off and on, and after another patch on it.
switch_cpu() {
	local TURN=0
	mkfifo line
	run copies "${MEMBER[@]}" /usr/bin/python3 "$MISBEHAVE" \
		"$KTRACE_HW_SOCKET" copies <line &
	exec 3>line
	await test -e copies.out
	next_copy
	next_copy
	patch_on_cpu_1
	next_copy
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo 1 >/sys/devices/system/cpu/cpu1/online
	next_copy
	next_copy
	patch_on_cpu_1
	next_copy
	exec 3>&-
	wait $!
	kill -TERM "$SERVICE"
	wait "$SERVICE"
}

# A machine with only a distribution's files has no users.
name_users() {
	grep -q '^root:' /etc/passwd || echo root:x:0:0::/root:/bin/sh >>/etc/passwd
	grep -q '^users:' /etc/group || echo "users:x:$GROUP_ID:" >>/etc/group
}

name_users
echo 2 >/proc/sys/kernel/perf_event_paranoid
echo 1 >/proc/sys/kernel/kptr_restrict
start_service service
if [[ ${4:-} == switch_cpu ]]; then
	switch_cpu
	rm -f line
	save_results "${KTRACE%/*}" ./*
	exit
fi
compare
# The results of root and nobody have been compared: of the others only success
# matters.
hold_symbols
refuse
kill_it
add_up
activate
rm -f line
save_results "${KTRACE%/*}" ./*
