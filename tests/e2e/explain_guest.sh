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
EVENTS=--events=attribution,syscalls

# A fifth of a CPU. What the cgroup was throttled is told by the kernel.
throttled() {
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p "$CGROUP"
	echo "20000 100000" >"$CGROUP/cpu.max"
	# shellcheck disable=SC2016 # for the shell
	record throttled "$EVENTS" --user -- sh -c \
		'echo $$ >'"$CGROUP"'/cgroup.procs && exec '"$EXPLAINED"' busy'
	sed -n 's/^throttled_usec \(.*\)/throttled \1000/p' \
		"$CGROUP/cpu.stat" >>throttled.out
}

# Beside a program that wants the only CPU, too.
hog() {
	local pid
	"$EXPLAINED" hog &
	pid=$!
	record hog "$EVENTS" --user -- "$EXPLAINED" busy
	kill "$pid"
}

hold_symbols
for one in "$@"; do
	case $one in
	throttled | hog) "$one" ;;
	*) record "$one" "$EVENTS" --user -- "$EXPLAINED" "$one" ;;
	esac
done
save_results "${KTRACE%/*}"
