#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records the cases $4... of the program explained
# in the folder $3, by the recorder $2, each into a folder with its name in $1.
# NAME.out has what the program measured.
set -euo pipefail
RESULTS=$1 KTRACE=$2 EXPLAINED=$3/explained
shift 3
# shellcheck source=tests/e2e/guest_record.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_record.sh"
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"
CGROUP=/sys/fs/cgroup/throttled
HIGH=/sys/fs/cgroup/high
EVENTS=--events=attribution,syscalls

# Runs a command of a shell in a cgroup that may use a fifth of a CPU. How long
# it was throttled is the kernel's own count.
in_throttled() { # name command
	local before_us after_us
	mkdir -p "$CGROUP"
	echo "20000 100000" >"$CGROUP/cpu.max"
	before_us=$(sed -n 's/^throttled_usec //p' "$CGROUP/cpu.stat")
	record "$1" "$EVENTS" --user -- \
		sh -c "echo \$\$ >$CGROUP/cgroup.procs; $2"
	after_us=$(sed -n 's/^throttled_usec //p' "$CGROUP/cpu.stat")
	echo "throttled $((after_us - before_us))000" >>"$1.out"
}

# Records the command in a cgroup that is delayed if it uses more than 16 MiB.
in_high() { # name command
	mkdir -p "$HIGH"
	echo 16M >"$HIGH/memory.high"
	record "$1" "$EVENTS" --user -- \
		sh -c "echo \$\$ >$HIGH/cgroup.procs; $2"
}

# Beside a program that wants the only CPU, too.
hog() {
	local pid
	"$EXPLAINED" hog &
	pid=$!
	record hog "$EVENTS" --user -- "$EXPLAINED" busy
	kill "$pid"
}

echo +cpu +memory >/sys/fs/cgroup/cgroup.subtree_control
hold_symbols
for one in "$@"; do
	case $one in
	throttled) in_throttled throttled "exec $EXPLAINED busy" ;;
	# Its threads are throttled for what another process used.
	group)
		in_throttled group \
			"$EXPLAINED hog & $EXPLAINED busy; kill \$!"
		;;
	hog) hog ;;
	high) in_high high "exec $EXPLAINED high" ;;
	pipe)
		busy=busy
		(($(nproc) == 1)) || busy=busy_long
		record pipe --events=attribution -- \
			sh -c "$EXPLAINED $busy | sort | head -n 1"
		;;
	plain) record plain --events=attribution -- "$EXPLAINED" busy ;;
	*) record "$one" "$EVENTS" --user -- "$EXPLAINED" "$one" ;;
	esac
done
save_results "${KTRACE%/*}"
