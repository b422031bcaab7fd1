#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How fast report --flat is, against perf script on the same recording.
#
#	speed.sh [RECORDING...]		default: recordings made now, in the
#					virtual machine
#
# In pairs, one after the other on one core, RUNS (5) of them: the ratio of
# their CPU times, least, median and greatest, and the bytes of trace a second.
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
RUNS=${RUNS:-5}
WORK=$(mktemp -d)
readonly HERE ROOT KTRACE RUNS WORK
trap 'rm -rf "$WORK"' EXIT

# Prints "seconds kilobytes" of CPU time and memory that a command takes.
cost() { # command...
	taskset -c 0 env time -f '%U %S %M' -o "$WORK/cost" "$@" \
		>/dev/null 2>"$WORK/messages" ||
		{ cat "$WORK/messages" >&2 && return 1; }
	awk '{ print $1 + $2, $3 }' "$WORK/cost"
}

trace_bytes() { # recording
	"$KTRACE" report --format=json -i "$1" |
		sed -n 's/^"recording":.*"trace":\([0-9]*\).*/\1/p'
}

bench() { # recording
	local i
	for ((i = 0; i < RUNS; i++)); do
		printf '%s %s\n' \
			"$(cost perf script --itrace=cr \
				-F time,ip,sym,addr,flags -i "$1")" \
			"$(cost "$KTRACE" report --flat -i "$1")"
	done >"$WORK/pairs"
	# perf's seconds and memory, ours, and the ratio, by ratio.
	awk '{ print $0, $1 / $3 }' "$WORK/pairs" | sort -g -k5 |
		awk -v bytes="$(trace_bytes "$1")" -v name="$(basename "$1")" '
		{
			ratio[NR] = $5
			if (NR == 1 || $3 < best)
				best = $3
			if ($2 > perf_kb)
				perf_kb = $2
			if ($4 > own_kb)
				own_kb = $4
		}
		END {
			printf "%-8s %6.1f MB of trace: %.2f / %.2f / %.2f times as fast as perf script (%d pairs), %.1f MB/s; peak memory %d MB, perf %d MB\n",
				name, bytes / 1e6, ratio[1],
				ratio[int((NR + 1) / 2)], ratio[NR], NR,
				bytes / 1e6 / best, own_kb / 1024,
				perf_kb / 1024
		}'
}

make_recordings() {
	"$ROOT/machine/host/machine" run --fast --results "$WORK" -- \
		bash "$HERE/speed_guest.sh" "$WORK" "$KTRACE"
}

main() {
	local program
	for program in perf time taskset; do
		type -P "$program" >/dev/null ||
			{ echo "skipped: no $program here" && exit 0; }
	done
	if [[ $# == 0 ]]; then
		make_recordings
		set -- "$WORK"/kernel "$WORK"/modules "$WORK"/user
	fi
	local recording
	for recording in "$@"; do
		bench "$recording"
	done
}

main "$@"
