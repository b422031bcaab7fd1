# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs in the arm64 machine for arm64.sh: recordings by our recorder and by
# stock perf.
#	arm64_guest.sh FOLDER PROGRAM
WORK=$1
KTRACE=$2
# shellcheck source=machine/tests/guest_perf.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../machine/tests/guest_perf.sh"

# Files in memory, with paths that start here: perf has no code of the modules
# of other file systems.
BOX=/dev/shm/work
mkdir -p "$BOX/tree"
cp /usr/bin/busybox "$BOX"
cd "$BOX" || exit
for number in 1 2 3 4 5 6 7 8; do
	mkdir "tree/folder$number"
	echo "$number" >"tree/folder$number/file"
done

# Runs a recorder; saves its output, errors and exit code.
run() { # name command...
	local name=$1 code=0
	shift
	"$@" >"$WORK/$name.out" 2>"$WORK/$name.err" || code=$?
	echo "$code" >"$WORK/$name.code"
}

ktrace() { # name option... -- command...
	run "$1" "$KTRACE" record -o "$WORK/$1" --events=sched "${@:2}"
}

# perf gets a short symbol list to read; the recording gets the complete one.
stock() { # name event
	run "$1" perf record --kcore -e "$2" -o "$WORK/$1" -- \
		./busybox ls -R tree
	cp /dev/shm/kallsyms "$WORK/$1/kcore_dir"
}

# Printing its symbols takes the kernel most of a short recording's time; no
# code with symbols is loaded from here on.
cat /proc/kallsyms >/dev/shm/kallsyms
busybox mount --bind /dev/shm/kallsyms /proc/kallsyms
ktrace kernel -- ./busybox ls -R tree
ktrace user --user -- ./busybox ls -R tree
ktrace all -a --events sched -- ./busybox sleep 0.01
ktrace filter --filter ksys_read -- \
	./busybox dd if=tree/folder1/file of=/dev/null
ktrace cycles --user --cycles -- ./busybox ls -R tree
ktrace cycles-fine --cycles=4 -- ./busybox ls -R tree
ktrace no-cycles --no-cycles -- ./busybox true
ktrace returns --return-stack -- ./busybox ls -R tree
ktrace small --buffer 64K -- ./busybox ls -R tree
ktrace snapshot --snapshot -- ./busybox ls -R tree
ktrace sink --sink trbe0 -- ./busybox true
ktrace no-sink --sink none -- ./busybox true
ktrace code -- ./busybox sh -c 'exit 7'

# A static key, which the kernel patches in without a word; and again while
# others have all breakpoints.
breakpoints=()
ktrace patched -- ./busybox sh -c \
	'echo 1 >/proc/sys/kernel/sched_schedstats; ./busybox ls -R tree'
echo 0 >/proc/sys/kernel/sched_schedstats
all=$(dmesg | sed -n 's/.*found \([0-9]*\) breakpoint.*/\1/p')
for ((i = 0; i < ${all:?dmesg does not tell how many}; i++)); do
	breakpoints+=(-e "mem:$(printf 0x%x $((0xffff800080000000 + 4096 * i))):x")
done
run unwatched perf stat -a "${breakpoints[@]}" -o "$WORK/unwatched.stat" -- \
	"$KTRACE" record -o "$WORK/unwatched" --events=sched -- ./busybox sh -c \
	'echo 1 >/proc/sys/kernel/sched_schedstats; ./busybox ls -R tree'
make_perf_fast
stock stock-kernel cs_etm//k
stock stock-user cs_etm//
