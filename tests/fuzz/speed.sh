#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints how many small inputs the fuzz entry of whole recordings processes in a
# second of CPU time: inputs of up to 4 KB, like the seeds, which are records
# and trace with code. Other load on the computer slows it down: the best of
# several runs counts.
#
#	speed.sh [EXECUTIONS [RUNS]]
set -euo pipefail

ROOT=$(realpath "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../..")
ENTRY=$ROOT/build-fuzz/tests/fuzz/fuzz_recording
SMALL=4096
EXECUTIONS=${1:-10000}
RUNS=${2:-3}
# In memory, so that files of the corpus take no time.
WORK=$(mktemp -d -p /dev/shm)
readonly ROOT ENTRY SMALL EXECUTIONS RUNS WORK
trap 'rm -rf "$WORK"' EXIT

fuzz() { # run
	local corpus=$WORK/$1
	mkdir "$corpus"
	find "$ROOT"/build-fuzz/seeds "$ROOT"/tests/fuzz/found -type f \
		-size "-$((SMALL + 1))c" -exec cp -t "$corpus" {} +
	# Bash's own time is not included.
	TIMEFORMAT='%U %S'
	{
		time "$ENTRY" -detect_leaks=0 -entropic=0 -len_control=0 \
			-reload=0 -close_fd_mask=3 -max_len=$SMALL -seed="$1" \
			-runs="$EXECUTIONS" "$corpus" >"$WORK/log" 2>&1
	} 2>"$WORK/time"
	awk -v count="$EXECUTIONS" \
		'{ printf "%d executions a second\n", count / ($1 + $2) }' \
		"$WORK/time"
}

make -s -C "$ROOT" FUZZ=1 build-fuzz/tests/fuzz/fuzz_recording fuzz-seeds \
	>/dev/null
for ((run = 1; run <= RUNS; run++)); do
	fuzz "$run"
done
