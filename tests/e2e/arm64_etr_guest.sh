# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs in the arm64 machine for arm64_etr.sh: both CPUs, and one thread on both.
#	arm64_etr_guest.sh FOLDER
WORK=$1

BOX=/dev/shm/work
mkdir -p "$BOX/tree/a" "$BOX/tree/b"
cp /usr/bin/busybox "$BOX"
cd "$BOX" || exit

perf record --kcore -q -a -m,4M -e cs_etm/timestamp/k -o "$WORK/all" -- \
	./busybox sh -c 'taskset -c 0 ./busybox ls -R tree &
		taskset -c 1 ./busybox ls -R tree; wait' >/dev/null
perf record --kcore -q --per-thread -m,4M -e cs_etm/timestamp/k \
	-o "$WORK/thread" -- bash -c 'taskset -p -c 0 $$; echo tree/*;
		taskset -p -c 1 $$; echo tree/*' >/dev/null
