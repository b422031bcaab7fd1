#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recordings of the arm64 machine, by our recorder and by stock perf, against
# the stock drivers of its trace unit: they decode without a gap, and every
# report can be made of them on this computer.
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"
ARM_KTRACE=$ROOT/build-arm64/ktrace-hw
SYMFS=$WORK/symfs

prepare() {
	need python3
	need_arm64_program
	# shellcheck disable=SC2034 # e2e_test.sh reads it
	GUEST_OPTIONS=(--arch arm64)
	skip_without_machine 6.12
	mkdir -p "$SYMFS/dev/shm/work"
	cp "$ARM64_FILES/usr/bin/busybox" "$SYMFS/dev/shm/work"
}

summary() { # recording section name
	summary_of "$WORK/$1" "$2" "$3" --symfs "$SYMFS"
}

read_with() { # command option...: of a recording, with the traced files
	"$KTRACE" "$1" --symfs "$SYMFS" "${@:2}" 2>"$WORK/read.err"
}

# Counts the lines with a text in the output of a command.
count() { # text command option...
	read_with "${@:2}" | grep -c -- "$1" || true
}

# Every packet is one, of the kinds that a unit with time stamps sends.
expect_packets() { # recording
	local kind
	read_with dump --packets -i "$WORK/$1" >"$WORK/packets"
	for kind in I_ASYNC I_TRACE_INFO I_TIMESTAMP I_ATOM I_ADDR; do
		expect_that "$1: packets $kind" \
			"$(grep -c " $kind" "$WORK/packets")" -gt 0
	done
	expect "$1: no packet that is none" 0 \
		"$(grep -ci ' bad\|BAD_\|RESERVED\|NOTSYNC\|INCOMPLETE' \
			"$WORK/packets")"
}

expect_whole() { # recording
	expect "$1: it was recorded" 0 "$(<"$WORK/$1.code")"
	expect "$1: no gap" 0 "$(summary "$1" cpu gaps)"
	expect "$1: nothing truncated" 0 "$(summary "$1" recording truncated_trace)"
	expect "$1: times are nanoseconds" 1 \
		"$(count 'times_count  *ns' report -i "$WORK/$1")"
	expect_packets "$1"
	expect_that "$1: the system calls" \
		"$(count __arm64_sys_ report --flat -i "$WORK/$1")" -ge 5
}

check_options() {
	expect "the command's exit code" 7 "$(<"$WORK/code.code")"
	expect_that "--return-stack: less trace" \
		"$(summary returns recording trace)" -lt \
		"$(($(summary kernel recording trace) * 2 / 3))"
	expect "--sink: the one there is" 0 "$(<"$WORK/sink.code")"
	expect "--sink: no such one" 125 "$(<"$WORK/no-sink.code")"
	expect_that "and says where to look" -n "$(grep sinks/ "$WORK/no-sink.err")"
	expect "--snapshot" 0 "$(<"$WORK/snapshot.code")"
	expect_that "--snapshot: has the trace" \
		"$(count __arm64_sys_ report --flat -i "$WORK/snapshot")" -ge 5
	expect "--filter: one function and what it is called by" 1 \
		"$(count ksys_read report --flat -i "$WORK/filter")"
	expect "--filter: and nothing else" 0 \
		"$(count vfs_read report --flat -i "$WORK/filter")"
	expect_that "-a: several tasks" \
		"$(count 'runs now' timeline -i "$WORK/all")" -ge 3
	expect_that "--user: user space has its names" \
		"$(count ' main\| _start\|busybox' report --flat -i "$WORK/user")" \
		-ge 1
}

# The driver marks each quarter of the buffer that was full, because TRBE's trace
# stops until its interrupt is handled.
check_marks() {
	local marks lost
	marks=$(read_with dump --records -i "$WORK/small" |
		awk '/ aux offset / { marks += $NF ~ /8$/ } END { print marks + 0 }')
	lost=$(count ' gap lost ' dump --blocks -i "$WORK/small")
	expect_that "full parts of a buffer: the kernel marks some" "$marks" -ge 2
	expect_that "full parts of a buffer: $lost gaps, $marks marks" \
		"$lost" -ge "$marks"
	expect "full parts of a buffer: and record says so" "$marks" \
		"$(sed -n 's/.*a little trace was lost \([0-9]*\) times.*/\1/p' \
			"$WORK/small.err")"
	expect "full parts of a buffer: not that nothing was lost" 0 \
		"$(grep -c 'nothing lost' "$WORK/small.err")"
}

# How many packets with cycle counts there are for a thousand instructions.
cycle_packets() { # recording
	local packets instructions
	packets=$(count ' I_CCNT_' dump --packets -i "$WORK/$1")
	instructions=$(read_with dump --blocks -i "$WORK/$1" |
		awk '$4 == "block" { sum += $(NF - 1) } END { print sum }')
	echo $((packets * 1000 / instructions))
}

check_cycles() {
	local coarse fine
	coarse=$(cycle_packets cycles)
	fine=$(cycle_packets cycles-fine)
	expect "no cycle counts unless asked for" "0 0" \
		"$(cycle_packets kernel) $(cycle_packets no-cycles)"
	# A count is of 256 cycles at least, and a cycle an instruction or more.
	expect_that "--cycles: some" "$coarse" -gt 0
	expect_that "--cycles: not more than the driver's threshold allows" \
		"$coarse" -le 8
	expect_that "--cycles=4: many ($coarse, $fine in 1000 instructions)" \
		"$fine" -gt $((10 * coarse))
}

code_changes() { # recording
	count 'gap code changed' dump --blocks -i "$WORK/$1"
}

check_patched() {
	expect "patched code: it was recorded" 0 "$(<"$WORK/patched.code")"
	expect_that "patched code: each patch" \
		"$(count ' text_patch ip .* x0 .* x1 ' dump --records \
			-i "$WORK/patched")" -gt 0
	expect_that "patched code: what differs at the end is kept" \
		-s "$WORK/patched/kcore_dir/kcore_end"
	expect "patched code: no gap" 0 \
		"$(count ' gap ' dump --blocks -i "$WORK/patched")"
}

check_unwatched() {
	expect "no breakpoint left: it was recorded" 0 \
		"$(<"$WORK/unwatched.code")"
	expect "no breakpoint left: and said" 1 \
		"$(grep -c 'text_patch: patches of the kernel.s code cannot be' \
			"$WORK/unwatched.err")"
	expect_that "no breakpoint left: patched code is a gap where it ran" \
		"$(code_changes unwatched)" -gt 0
	expect "no breakpoint left: and nothing else is" \
		"$(code_changes unwatched)" \
		"$(count ' gap ' dump --blocks -i "$WORK/unwatched")"
}

check_machine() {
	local code=0
	"$KTRACE" record --machine=--fast --arch arm64 -o "$WORK/machine" -- \
		sh -c 'echo hello; exit 3' >"$WORK/machine.out" 2>"$WORK/machine.err" ||
		code=$?
	expect "record --machine --arch arm64: exit code" 3 "$code"
	expect "record --machine --arch arm64: output" hello \
		"$(<"$WORK/machine.out")"
	expect "record --machine --arch arm64: a recording" 1 \
		"$(count 'architecture *aarch64' report -i "$WORK/machine")"
}

check_formats() {
	local code=0
	python3 "$ROOT/tests/recorded/formats.py" "$KTRACE" "$WORK/kernel" \
		>"$WORK/formats" 2>&1 || code=$?
	expect "all formats tell the same: $(grep -c '^ok' "$WORK/formats") ok" \
		0 "$code"
}

main() {
	local name
	prepare
	"$MACHINE" run --discard --arch arm64 --fast --timeout "$LIMIT_S" \
		--results "$WORK" --late-results -- \
		bash "/host$HERE/arm64_guest.sh" "$WORK" "/host$ARM_KTRACE"
	# perf does not copy the vdso, which is the same for all.
	cp "$WORK/user/kcore_dir/vdso" "$WORK/stock-user/kcore_dir"
	for name in kernel user returns cycles cycles-fine stock-kernel stock-user; do
		expect_whole "$name"
	done
	check_options
	check_marks
	check_cycles
	check_patched
	check_unwatched
	# As of the other architecture, which each change is tried with.
	[[ -z ${KTRACE_FULL:-} ]] || check_formats
	check_machine
}

main
