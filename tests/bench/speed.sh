#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the speed of commands with perf script on the same recording, and
# report --flat with reading the packets alone, a lower bound; measures a window
# of 10 ms, with and without an existing index of the recording, and memory.
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

# The commands, and how many times as fast as perf script each should be with
# recordings of the kernel, of modules, and of user code.
COMMANDS=(
	"report --flat:120, 110, 70"
	"report --callgraph:120, 110, 70"
	"report:100"
	"timeline:50"
	"export --format=perfetto:30"
)
readonly COMMANDS

# Runs perf script, each command and the packets alone, one after the other.
# Appends their ratios to files in $WORK/ratios.
pair() { # recording
	local peer own flat=0 i
	peer=$(cost perf script --itrace=cr -F time,ip,sym,addr,flags -i "$1")
	for i in "${!COMMANDS[@]}"; do
		# shellcheck disable=SC2086 # words of a command
		own=$(cost "$KTRACE" ${COMMANDS[i]%:*} --jobs 1 -i "$1")
		[[ $i != 0 ]] || flat=$own
		ratio "$peer" "$own" >>"$WORK/ratios/$i"
	done
	ratio "$flat" "$(cost "$BENCHES/bench_trace" -p "$1")" \
		>>"$WORK/ratios/packets"
}

ratio() { # cost cost
	awk -v a="${1% *}" -v b="${2% *}" 'BEGIN { print a / b }'
}

# Prints the ratios of RUNS pairs: least, median and greatest.
ratios() { # recording
	local name i
	name=$(basename "$1")
	rm -rf "$WORK/ratios"
	mkdir "$WORK/ratios"
	for ((i = 0; i < RUNS; i++)); do
		pair "$1"
	done
	printf '%-8s %.1f MB of trace, %d pairs\n' "$name" \
		"$(awk -v bytes="$(trace_bytes "$1")" \
			'BEGIN { print bytes / 1e6 }')" "$RUNS"
	for i in "${!COMMANDS[@]}"; do
		printf '%-8s %s times as fast as perf script (wanted: %s): %s\n' \
			"$name" "$(spread <"$WORK/ratios/$i")" \
			"${COMMANDS[i]##*:}" "${COMMANDS[i]%:*}"
	done
	printf '%-8s %s times the packets alone (wanted: 5.5): report --flat; %s\n' \
		"$name" "$(spread <"$WORK/ratios/packets")" \
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

# Costs of 64 CPUs that do the same as the recording's one: of all, and of 1 us.
many_cpus() { # recording
	local since i one all
	python3 "$HERE/many_cpus.py" "$1" "$WORK/many" 64
	# The middle one of its events.
	since=$("$KTRACE" timeline --raw -i "$1" 2>/dev/null |
		awk '$1 == "E" { time[count++] = $3 }
			END { printf "%.9f", time[int(count / 2)] / 1e9 }')
	rm -f "$WORK/ratios" "$WORK/windows"
	for ((i = 0; i < RUNS; i++)); do
		one=$(cost "$KTRACE" report --flat --jobs 1 -i "$1")
		all=$(cost "$KTRACE" report --flat --jobs 1 -i "$WORK/many")
		awk -v one="${one% *}" -v all="${all% *}" \
			'BEGIN { print all / one / 64 }' >>"$WORK/ratios"
		cost "$KTRACE" report --flat --jobs 1 -i "$WORK/many" \
			--absolute --since "$since" --until \
			"$(awk -v s="$since" \
				'BEGIN { printf "%.9f", s + 1e-6 }')" |
			cut -d' ' -f1 >>"$WORK/windows"
	done
	printf '%-8s %s times 64 single ones (wanted: 0.6), %d MB: 64 CPUs\n' \
		"$(basename "$1")" "$(spread <"$WORK/ratios")" \
		"$((${all#* } / 1024))"
	printf '%-8s %s s for a window of 1 us on 64 CPUs (wanted: 0.3)\n' \
		"$(basename "$1")" "$(spread <"$WORK/windows")"
	rm -rf "$WORK/many" "$WORK/ratios"
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
		set -- "$WORK"/kernel "$WORK"/modules "$WORK"/user "$WORK"/short
	fi
	for recording; do
		if (($(trace_bytes "$recording") < 1000000)); then
			many_cpus "$recording"
			continue
		fi
		ratios "$recording"
		memory "$recording"
		window "$recording"
	done
}

main "$@"
