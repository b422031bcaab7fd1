#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's side of conformance_arm64.sh: makes the recordings of one boot,
# with stock perf or, if named ours-..., with our recorder.
#
#	conformance_arm64_guest.sh RESULTS PROGRAM NAME...
set -euo pipefail

readonly RESULTS=$1 WORK=/tmp/conformance
shift
# shellcheck source=machine/tests/guest_perf.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_perf.sh"

record() { # name perf-record-option...
	perf record --kcore -N -q -o "$WORK/$1" "${@:2}" >"$WORK/output"
	cp "$WORK/vdso" "$WORK/$1/kcore_dir/vdso"
	save_recording "$1"
}

# The unit gets a quarter of the buffer at a time and loses a few branches if it
# fills up: the buffer must be large enough.
record_ours() { # name option...
	"$PROGRAM" record -o "$WORK/$1" --buffer 128M "${@:2}" >"$WORK/output"
	save_recording "$1"
}

# Two of these run at once and move from CPU to CPU.
moving_work() { # number
	local i
	for ((i = 0; i < 2; i++)); do
		taskset -cp $(((i + $1) % $(nproc))) "$BASHPID"
		busybox ls /etc | busybox wc
		busybox sleep 0.01
	done >"$WORK/output.$1" 2>&1
}

# Makes the kernel patch code that it runs, and restore it: static keys, a
# kprobe's breakpoint, ftrace's calls.
patching_work() {
	local tracing=/sys/kernel/tracing
	perf stat -e page-faults,context-switches -o "$WORK/counts" -- \
		busybox ls /etc >"$WORK/output.patching"
	echo 'p:ours vfs_read' >"$tracing/kprobe_events"
	echo 1 >"$tracing/events/kprobes/ours/enable"
	busybox cat /etc/passwd >"$WORK/output.patching"
	echo 0 >"$tracing/events/kprobes/ours/enable"
	echo >"$tracing/kprobe_events"
	echo vfs_write >"$tracing/set_ftrace_filter"
	echo function >"$tracing/current_tracer"
	busybox ls /etc >"$WORK/output.patching"
	echo nop >"$tracing/current_tracer"
	busybox ls /etc >"$WORK/output.patching"
}

run_one() { # name
	local self=${BASH_SOURCE[0]} times=timestamp=1,cycacc,contextid
	local -a work=(-- bash "$self" --work 1)
	case $1 in
	task) record "$1" -m,"$BUFFER" -e cs_etm//k "${work[@]}" ;;
	task-times)
		record "$1" -m,"$BUFFER" -e "cs_etm/$times,retstack/k" \
			"${work[@]}"
		;;
	task-cycacc)
		record "$1" -m,"$BUFFER" -e cs_etm/cycacc,cc_threshold=4/k \
			"${work[@]}"
		;;
	task-both)
		record "$1" -m,"$BUFFER" -e cs_etm/timestamp=1,contextid/ \
			"${work[@]}"
		;;
	task-user)
		record "$1" -m,"$BUFFER" -e cs_etm/retstack,timestamp=1,contextid/u \
			"${work[@]}"
		;;
	all)
		record "$1" -m,"$BUFFER" -a -e cs_etm/timestamp=1,contextid/ \
			"${work[@]}"
		;;
	all-times)
		record "$1" -m,"$BUFFER" -a -e "cs_etm/$times/k" "${work[@]}"
		;;
	filter)
		record "$1" -m,4M -e cs_etm//k --filter "filter $FILTER_RANGE" \
			"${work[@]}"
		;;
	small-buffer)
		record "$1" -m,1M -e cs_etm/timestamp=1,retstack/k "${work[@]}"
		;;
	# Fills up before perf has read it: the kernel disables the event.
	tiny-buffer)
		record "$1" -m,128K -e cs_etm/timestamp=1,retstack/k "${work[@]}"
		;;
	large)
		record "$1" -m,128M -a -e cs_etm/timestamp=1,retstack/k -- \
			bash "$self" --work 10
		;;
	ours-task) record_ours "$1" "${work[@]}" ;;
	ours-user) record_ours "$1" --user "${work[@]}" ;;
	# The trace buffer is drained, and a gap recorded, when a quarter of it
	# is full.
	ours-cycles)
		record_ours "$1" --cycles=4 --buffer 64M "${work[@]}"
		;;
	ours-all) record_ours "$1" -a "${work[@]}" ;;
	ours-patching)
		record_ours "$1" --buffer 256M -- bash "$self" --patching
		;;
	# Without tracepoints, whose code would be most of the trace. On a slow host
	# there are more timer interrupts: more than 32 MiB of trace for each CPU.
	ours-moving)
		record_ours "$1" --events=none --buffer 256M \
			-- bash "$self" --moving
		;;
	*)
		printf 'no recording is called %s\n' "$1" >&2
		return 2
		;;
	esac
}

case $RESULTS in
--work)
	mkdir -p "$WORK"
	work "$1" 4
	exit
	;;
--patching)
	patching_work
	exit
	;;
--moving)
	moving_work 0 &
	moving_work 1
	wait
	exit
	;;
esac
readonly PROGRAM=$1
shift
mkdir -p "$WORK"
FILTER_RANGE=$(function_range vfs_read)
readonly FILTER_RANGE
printf '%s\n' "$FILTER_RANGE" >"$RESULTS/filter-range"
make_perf_fast
copy_vdso "$WORK/vdso"
for name in "$@"; do
	run_one "$name"
done
