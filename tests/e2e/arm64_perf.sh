#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# perf of arm64 decodes our recorder's recordings of the arm64 machine, with one
# CPU and with two, to the same branches as ktrace-hw.
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"
FILES=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/roots/arm64

# Files in memory, by paths that begin here: perf has no code of the modules
# that other file systems are in.
record() { # cpus "option..." name command
	# shellcheck disable=SC2016 # for the guest
	"$MACHINE" run --arch arm64 --fast --cpus "$1" --timeout "$LIMIT_S" \
		--results "$WORK" --late-results -- sh -ec '
		mkdir -p /dev/shm/work
		cp /usr/bin/busybox /dev/shm/work
		cd /dev/shm/work
		"$1" record -o "$2" $3 -- ./busybox sh -c "$4" >/dev/null' \
		sh "$GUEST_BUILD/ktrace-hw" "$WORK/$3" "$2" "$4"
}

# perf of arm64 itself, in QEMU's user mode, which takes 10 s for 30,000
# branches; its symbols are fewer so that it starts sooner.
decode_by_perf() { # recording
	local copy=$WORK/for-perf
	rm -rf "$copy"
	cp -r "$WORK/$1" "$copy"
	awk 'NR % 100 == 1 || $3 ~ /^_(text|stext|etext|edata|end)$/' \
		"$WORK/$1/kcore_dir/kallsyms" >"$copy/kcore_dir/kallsyms"
	HOME=$WORK qemu-aarch64 -L "$FILES" "$FILES/usr/bin/perf" script \
		--symfs "$WORK/perf-files" -i "$copy" --itrace=b \
		-F cpu,ip,addr,flags >"$WORK/perf.branches" 2>"$WORK/perf.err"
	expect "$1: perf has nothing to say against it" "" "$(<"$WORK/perf.err")"
}

# What each CPU executed, by perf and by us.
compare_cpu() { # recording cpu least
	local code=0
	grep -F "$(printf '[%03d]' "$2")" "$WORK/perf.branches" \
		>"$WORK/perf.cpu" || true
	awk -v cpu="$2" '$1 == "stream" { here = $4 == cpu } here' \
		"$WORK/ours.blocks" >"$WORK/ours.cpu"
	python3 "$ROOT/tests/coresight_perf.py" "$WORK/perf.cpu" \
		"$WORK/ours.cpu" "$3" >"$WORK/compared" 2>&1 || code=$?
	expect "$1, CPU $2: perf's branches: $(tail -n 1 "$WORK/compared")" \
		0 "$code"
}

expect_perf_agrees() { # recording cpus least
	local cpu
	decode_by_perf "$1"
	"$KTRACE" dump --blocks -i "$WORK/$1" >"$WORK/ours.blocks"
	for ((cpu = 0; cpu < $2; cpu++)); do
		compare_cpu "$1" "$cpu" "$3"
	done
}

main() {
	need python3
	need qemu-aarch64
	use_arm64
	skip_without_machine 6.12
	mkdir -p "$WORK/perf-files/dev/shm/work"
	cp "$FILES/usr/bin/busybox" "$WORK/perf-files/dev/shm/work"
	record 1 "" kernel "exit 0"
	record 1 --cycles cycles "exit 0"
	record 1 --user user "exit 0"
	record 2 "--buffer 32M" two \
		"taskset 1 ./busybox true & taskset 2 ./busybox true; wait"
	expect_perf_agrees kernel 1 10000
	expect_perf_agrees cycles 1 10000
	expect_perf_agrees user 1 10000
	expect_perf_agrees two 2 5000
}

main
