#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# perf of arm64 decodes ktrace-hw's recordings of the arm64 machine, with one
# CPU and with two, to the same branches as ktrace-hw.
#
#	arm64_perf.sh [one_cpu|two_cpus]...
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"
# shellcheck source=tests/e2e/arm64_referee.sh
source "$HERE/arm64_referee.sh"
SYMFS=$WORK/perf-files

# Files in memory, with paths that start here: perf has no code of the modules
# of other file systems.
record() { # cpus "option..." name command
	# shellcheck disable=SC2016 # for the guest
	"$MACHINE" run --discard --arch arm64 --fast --cpus "$1" --timeout "$LIMIT_S" \
		--results "$WORK" --late-results -- sh -ec '
		mkdir -p /dev/shm/work
		cp /usr/bin/busybox /dev/shm/work
		cd /dev/shm/work
		"$1" record -o "$2" $3 -- ./busybox sh -c "$4" >/dev/null' \
		sh "$GUEST_BUILD/ktrace-hw" "$WORK/$3" "$2" "$4"
}

one_cpu() {
	record 1 "" kernel "exit 0"
	record 1 --cycles cycles "exit 0"
	record 1 --user user "exit 0"
	expect_perf_agrees kernel 1 10000 --symfs "$SYMFS"
	expect_perf_agrees cycles 1 10000 --symfs "$SYMFS"
	expect_perf_agrees user 1 10000 --symfs "$SYMFS"
}

# A process and its child, which begins on the other CPU.
two_cpus() {
	record 2 "--buffer 32M" two "./busybox true & wait"
	expect_perf_agrees two 2 5000 --symfs "$SYMFS"
}

main() {
	local part
	need python3
	need qemu-aarch64
	use_arm64
	skip_without_machine 6.12
	mkdir -p "$SYMFS/dev/shm/work"
	cp "$ARM64_FILES/usr/bin/busybox" "$SYMFS/dev/shm/work"
	(($#)) || set -- one_cpu two_cpus
	for part; do
		"$part"
	done
}

main "$@"
