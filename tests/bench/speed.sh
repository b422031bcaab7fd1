#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the speed of report --flat with perf script on the same recording;
# measures the part of reading the packets, a lower bound; a window of 10 ms,
# with and without an existing index of the recording; and the memory of all of
# them.
#
#	speed.sh [RECORDING...]		default: recordings made now, in the
#					virtual machine
#
# RUNS (5) pairs of each.
set -euo pipefail
# shellcheck source=tests/bench/pairs.sh
source "$(dirname "${BASH_SOURCE[0]}")/pairs.sh"
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
BENCHES=$ROOT/build/tests/bench

trace_bytes() { # recording
	"$KTRACE" report --format=json -i "$1" |
		sed -n 's/^"recording":.*"trace":\([0-9]*\).*/\1/p'
}

make_recordings() {
	"$ROOT/machine/host/machine" run --fast --results "$WORK" -- \
		bash "$HERE/speed_guest.sh" "$WORK" "$KTRACE"
}

# Compares the time for the packets alone with the whole, in pairs.
floor() { # recording
	local i whole packets
	for ((i = 0; i < RUNS; i++)); do
		whole=$(cost "$KTRACE" report --flat --jobs 1 -i "$1")
		packets=$(cost "$BENCHES/bench_trace" -p "$1")
		awk -v a="${packets% *}" -v b="${whole% *}" \
			'BEGIN { print 100 * a / b }'
	done >"$WORK/shares"
	printf '%-8s %s %% of that for reading packets alone; %s\n' \
		"$(basename "$1")" "$(spread <"$WORK/shares")" \
		"points found in $("$BENCHES/bench_trace" -s "$1" 2>/dev/null |
			sed 's/.*trace, //')"
}

# Peak memory of a decode of all by 1 and 2 threads.
memory() { # recording
	local jobs
	for jobs in 1 2; do
		env time -f %M -o "$WORK/kilobytes" "$KTRACE" report --flat \
			--jobs "$jobs" -i "$1" >/dev/null 2>&1
		printf '%-8s %d MB by --jobs %d\n' "$(basename "$1")" \
			"$(($(<"$WORK/kilobytes") / 1024))" "$jobs"
	done
}

# CPU seconds for 10 ms in the middle: from a synchronisation point, and from a
# checkpoint of the index that the runs before have left.
window() { # recording
	local since use i
	since=$("$KTRACE" timeline --raw -i "$1" 2>/dev/null |
		awk '$1 == "E" { if (!first) first = $3; last = $3 }
			END { printf "%.9f", (first + last) / 2e9 }')
	for use in points checkpoints; do
		for ((i = 0; i < RUNS; i++)); do
			KTRACE_INDEX=$use cost "$KTRACE" report --flat \
				-i "$1" --absolute --since "$since" --until \
				"$(awk -v s="$since" \
					'BEGIN { printf "%.9f", s + 0.01 }')"
		done | cut -d' ' -f1 >"$WORK/windows"
		printf '%-8s %s s for a window of 10 ms, from %s\n' \
			"$(basename "$1")" "$(spread <"$WORK/windows")" "$use"
	done
}

main() {
	local recording
	skip_without perf time taskset
	if [[ $# == 0 ]]; then
		make_recordings
		set -- "$WORK"/kernel "$WORK"/modules "$WORK"/user
	fi
	for recording; do
		# shellcheck disable=SC2034 # compare() reads them
		PEER=(perf script --itrace=cr -F "time,ip,sym,addr,flags"
			-i "$recording")
		# shellcheck disable=SC2034
		OURS=("$KTRACE" report --flat -i "$recording")
		compare "$(basename "$recording")" \
			"$(trace_bytes "$recording")" "perf script"
		floor "$recording"
		memory "$recording"
		window "$recording"
	done
}

main "$@"
