#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures how long the machine takes to start and how much its trace unit costs.
#
# The start is in seconds of real time, so the computer must be otherwise
# idle.  The cost is in QEMU's own CPU time for the same work in the
# guest, relative to the time without the unit.  Medians of RUNS (3).
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
RUNS=${RUNS:-3}
readonly HERE RUNS

readonly WORK='ls -lR /usr/share/doc >/dev/null'

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Prints the seconds from the start to the command's first word, and to the end.
start_and_end() { # option...
	local begin=$EPOCHREALTIME line first=''
	while IFS= read -r line; do
		[[ $line != started ]] || first=$EPOCHREALTIME
	done < <("$HERE/../host/machine" run "$@" -- echo started)
	[[ -n $first ]]
	awk -v a="$begin" -v b="$first" -v c="$EPOCHREALTIME" \
		'BEGIN { printf "%.2f %.2f\n", b - a, c - a }'
}

bench_start() { # name aim-first aim-end option...
	local i figures='' name=$1 first=$2 end=$3
	shift 3
	for ((i = 0; i < RUNS; i++)); do
		figures+=$(start_and_end "$@")$'\n'
	done
	printf '%-24s first command after %6.2f s (aim %s), whole run %6.2f s (aim %s)\n' \
		"$name" "$(printf '%s' "$figures" | cut -d' ' -f1 | median)" "$first" \
		"$(printf '%s' "$figures" | cut -d' ' -f2 | median)" "$end"
}

# Prints the CPU seconds that the machine's QEMU has used.
cpu_seconds() { # machine's process
	local qemu
	qemu=$(pgrep -P "$1")
	awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' \
		"/proc/$qemu/stat"
}

# Prints the CPU seconds of the work; the prefix records it, or is empty.
work_seconds() { # prefix option...
	local prefix=$1 line begin='' end='' output machine
	shift
	exec {output}< <(exec "$HERE/../host/machine" run --fast "$@" -- bash -c \
		"cd /tmp; $WORK; $prefix bash -c 'echo begin; $WORK; echo end; sleep 1'" \
		2>/dev/null)
	machine=$!
	while IFS= read -r line <&"$output"; do
		case $line in
		begin) begin=$(cpu_seconds "$machine") ;;
		end) end=$(cpu_seconds "$machine") ;;
		esac
	done
	exec {output}<&-
	awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.3f\n", b - a }'
}

median_of_work() { # prefix option...
	local i
	for ((i = 0; i < RUNS; i++)); do
		work_seconds "$@"
	done | median
}

readonly RECORD='perf record -q -B -N -o t -m,64M -e'

bench_cost() {
	local plain event
	plain=$(median_of_work '' --no-trace-unit)
	printf 'work without the unit    %6.2f s\n' "$plain"
	cost "$plain" 'unit, tracing off' ''
	for event in intel_pt//k intel_pt/cyc=1/k intel_pt//; do
		cost "$plain" "unit, $event" "$RECORD $event --"
	done
}

cost() { # plain-seconds name prefix
	printf '%-24s %6.2f times that\n' "$2" "$(median_of_work "$3" |
		awk -v plain="$1" '{ print $1 / plain }')"
}

"$HERE/../host/machine" fetch
bench_start 'start' 10 20
bench_start 'start --fast' - - --fast
bench_cost
