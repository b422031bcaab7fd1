#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016 # the guest's shell expands them
# Tests --disk-delay: the duration of a request to the scratch disk by the
# guest's clock, whether the CPU idles meanwhile, and that it is a disk. The
# full tier also tests the older kernel.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"

# Reads 4 KiB past the page cache, 200 times: prints the shortest and the
# longest time in microseconds, and for how many of 100 ticks the CPU was idle.
READER='
import mmap, os, time

def ticks():
    with open("/proc/stat") as stat:
        fields = [int(field) for field in stat.readline().split()[1:9]]
    return fields[3] + fields[4], sum(fields)

file = os.open("/scratch/file", os.O_RDONLY | os.O_DIRECT)
page = mmap.mmap(-1, 4096)
times = []
idle, all_ticks = ticks()
for number in range(200):
    begin = time.monotonic_ns()
    os.preadv(file, [page], number * 4096)
    times.append((time.monotonic_ns() - begin) // 1000)
idle_now, all_now = ticks()
print(min(times), max(times), (idle_now - idle) * 100 // (all_now - all_ticks))
'

# Uses one CPU, whose clock counts instructions.
measure() { # kernel delay-ms
	local shortest longest idle same
	capture "$MACHINE" run --discard --fast --kernel "$1" --disk-size 64 \
		--disk-delay "$2" --timeout "$LIMIT_S" -- bash -c '
		head -c 1000000 /dev/urandom >/scratch/file
		sum=$(cksum </scratch/file)
		sync
		echo 3 >/proc/sys/vm/drop_caches
		[[ $(cksum </scratch/file) == "$sum" ]] && printf "same "
		exec python3 -c "$1"' bash "$READER"
	read -r same shortest longest idle <<<"$OUT" || true
	expect "$2 ms, kernel $1: what is written is read" same "$same"
	expect "$2 ms, kernel $1: each request takes $2.0 to $2.3 ms ($shortest to $longest us)" \
		1 "$((shortest >= $2 * 1000 && longest <= $2 * 1000 + 300))"
	expect "$2 ms, kernel $1: the CPU is idle meanwhile ($idle %)" 1 \
		"$((idle >= 90))"
}

if ! command -v python3 >/dev/null; then
	echo "skipped: ${0##*/}: no python3 here"
	exit 0
fi
skip_without_machine 6.12
measure 6.12 7
if [[ ${KTRACE_FULL:-} ]]; then
	skip_without_machine 6.1
	measure 6.12 1
	measure 6.1 7
	measure 6.1 1
fi
