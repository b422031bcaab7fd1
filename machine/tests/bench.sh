#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long the machine takes to start, and what its trace unit costs.
#
# Seconds of real time, the median of RUNS (3).  The cost is a ratio to the
# same work in the same machine without the unit, measured in the same run.
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
RUNS=${RUNS:-3}
readonly HERE RUNS

WORK='for i in 1 2 3 4 5; do ls -lR /usr/share/doc >/dev/null; done'

seconds_now() {
	date +%s.%N
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Prints the seconds from the start to the command's first word, and to the end.
start_and_end() {
	local begin line first=''
	begin=$(seconds_now)
	while IFS= read -r line; do
		[[ $line != started ]] || first=$(seconds_now)
	done < <("$HERE/../host/machine" run -- echo started)
	[[ -n $first ]]
	awk -v a="$begin" -v b="$first" -v c="$(seconds_now)" \
		'BEGIN { printf "%.2f %.2f\n", b - a, c - a }'
}

bench_start() {
	local i figures=''
	for ((i = 0; i < RUNS; i++)); do
		figures+=$(start_and_end)$'\n'
	done
	printf 'first command after        %6.2f s (aim 10)\n' \
		"$(printf '%s' "$figures" | cut -d' ' -f1 | median)"
	printf 'machine run -- true        %6.2f s (aim 20)\n' \
		"$(printf '%s' "$figures" | cut -d' ' -f2 | median)"
}

# Prints the seconds that the work takes; the prefix records it, or does not.
work_seconds() { # prefix option...
	local prefix=$1 line begin='' end=''
	shift
	while IFS= read -r line; do
		case $line in
		begin) begin=$(seconds_now) ;;
		end) end=$(seconds_now) ;;
		esac
	done < <("$HERE/../host/machine" run "$@" -- bash -c \
		"cd /tmp; $prefix bash -c '$WORK; echo begin; $WORK; echo end'" \
		2>/dev/null)
	awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.3f\n", b - a }'
}

readonly RECORD='perf record -q -B -N -o t -m,64M -e'

bench_cost() {
	local i name plain=() off=() kernel=() both=() cycles=()
	for ((i = 0; i < RUNS; i++)); do
		plain+=("$(work_seconds '' --no-trace-unit)")
		off+=("$(work_seconds '')")
		kernel+=("$(work_seconds "$RECORD intel_pt//k --")")
		cycles+=("$(work_seconds "$RECORD intel_pt/cyc=1/k --")")
		both+=("$(work_seconds "$RECORD intel_pt// --")")
	done
	local base
	base=$(printf '%s\n' "${plain[@]}" | median)
	printf 'work without the unit      %6.2f s\n' "$base"
	for name in off kernel cycles both; do
		local -n figures=$name
		printf 'unit: %-20s %6.2f times that\n' "$name" "$(
			printf '%s\n' "${figures[@]}" | median |
				awk -v b="$base" '{ print $1 / b }')"
	done
}

"$HERE/../host/machine" fetch
bench_start
bench_cost
