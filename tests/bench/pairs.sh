# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Two programs compared, in pairs, one after the other on one core.
HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
RUNS=${RUNS:-5}
WORK=$(mktemp -d)
# shellcheck disable=SC2034 # ROOT is for those who read this file
readonly HERE ROOT RUNS WORK
trap 'rm -rf "$WORK"' EXIT

skip_without() { # program...
	local program
	for program; do
		type -P "$program" >/dev/null ||
			{ echo "skipped: no $program here" && exit 0; }
	done
}

# Runs a command and prints "seconds kilobytes": its CPU time and memory.
cost() { # command...
	taskset -c 0 env time -f '%U %S %M' -o "$WORK/cost" "$@" \
		>/dev/null 2>"$WORK/messages" ||
		{ cat "$WORK/messages" >&2 && return 1; }
	awk '{ print $1 + $2, $3 }' "$WORK/cost"
}

# Prints the least, the median and the greatest of numbers, one a line.
spread() {
	sort -g | awk '{ value[NR] = $1 }
		END { printf "%.2f / %.2f / %.2f", value[1],
			value[int((NR + 1) / 2)], value[NR] }'
}

# Compares the commands in the arrays PEER and OURS, RUNS times: the ratio of
# their CPU times, least, median and greatest, and the bytes of trace a second.
compare() { # name bytes-of-trace peer's-name
	local i
	for ((i = 0; i < RUNS; i++)); do
		printf '%s %s\n' "$(cost "${PEER[@]}")" "$(cost "${OURS[@]}")"
	done >"$WORK/pairs"
	# The peer's seconds and memory, ours, and the ratio, by ratio.
	awk '{ print $0, $1 / $3 }' "$WORK/pairs" | sort -g -k5 |
		awk -v bytes="$2" -v name="$1" -v peer="$3" '
		{
			ratio[NR] = $5
			if (NR == 1 || $3 < best)
				best = $3
			if ($2 > peer_kb)
				peer_kb = $2
			if ($4 > own_kb)
				own_kb = $4
		}
		END {
			printf "%-8s %6.1f MB of trace: %.2f / %.2f / %.2f times as fast as %s (%d pairs), %.1f MB/s; peak memory %d MB, of the other %d MB\n",
				name, bytes / 1e6, ratio[1],
				ratio[int((NR + 1) / 2)], ratio[NR], peer, NR,
				bytes / 1e6 / best, own_kb / 1024,
				peer_kb / 1024
		}'
}
