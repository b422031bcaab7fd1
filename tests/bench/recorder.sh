#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the CPU time of writing trace: pwrite(), our recorder's writers, and
# perf record, which writes the samples of a busy process with their stacks.
#
#	recorder.sh [MIB]		MIB (256) for each writer
set -euo pipefail
ROOT=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
WORK=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$WORK"' EXIT

perf_record() { # GB per CPU second of pwrite()
	local busy bytes cpu
	sh -c 'while :; do :; done' &
	busy=$!
	TIMEFORMAT='%U %S'
	cpu=$({ time perf record -q -o "$WORK/perf.data" -e cpu-clock -F 20000 \
		--call-graph dwarf,60000 -p "$busy" -- sleep 3 \
		>/dev/null 2>&1; } 2>&1) || cpu=
	kill "$busy"
	wait "$busy" 2>/dev/null || true
	bytes=$(stat -c %s "$WORK/perf.data" 2>/dev/null || echo 0)
	if [[ -z $cpu ]] || ((bytes < 10000000)); then
		echo "perf record  not measured: it may not sample here"
		return
	fi
	awk -v bytes="$bytes" -v cpu="$cpu" -v plain="$1" 'BEGIN {
		split(cpu, s, " ")
		rate = bytes / (s[1] + s[2]) / 1e9
		printf "%-12s %6.2f GB per CPU second, %5.2f times pwrite()\n",
			"perf record", rate, rate / plain }'
}

"$ROOT/build/tests/bench/bench_recorder" "$WORK" "${1:-256}" |
	tee "$WORK/rates"
if command -v perf >/dev/null; then
	perf_record "$(awk '/^pwrite/ { print $2 }' "$WORK/rates")"
fi
