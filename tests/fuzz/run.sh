#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes all readers of a recording and all writers of its results, starting
# with made inputs and with parts of recordings of both architectures.
#
#	run.sh [SECONDS [CORPUS]]	600 seconds; a folder that is kept
set -euo pipefail

ROOT=$(realpath "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../..")
ENTRY=$ROOT/build-fuzz/tests/fuzz/fuzz_recording
SECONDS_MOST=${1:-600}
WORK=$(mktemp -d)
CORPUS=${2:-$WORK/corpus}
readonly ROOT ENTRY SECONDS_MOST WORK CORPUS
trap 'rm -rf "$WORK"' EXIT

# Records in the virtual machine, with all data that reports can use.
record() { # name option...
	"$ROOT/build/ktrace-hw" record --machine "${@:2}" -a \
		--events=attribution -o "$WORK/$1" -- sh -c 'ls | wc -c' \
		>"$WORK/$1.log" 2>&1 ||
		printf 'skipped: no recording of %s: %s\n' "$1" \
			"$(tail -n 1 "$WORK/$1.log")"
}

cut() { # name begin...
	local begin
	[[ -e $WORK/$1/data ]] || return 0
	for begin in "${@:2}"; do
		"$ROOT/tests/fuzz/cut_recording.py" "$ROOT/build/ktrace-hw" \
			"$WORK/$1" "$begin" 300 "$CORPUS/$1-$begin" ||
			echo "no input from byte $begin of $1"
	done
}

make_corpus() {
	mkdir -p "$CORPUS"
	cp "$ROOT"/build-fuzz/seeds/* "$ROOT"/tests/fuzz/found/* "$CORPUS"
	record x86
	cut x86 0 100000 300000
	[[ ! -x $ROOT/build-arm64/ktrace-hw ]] || record arm64 --arch arm64
	cut arm64 0 50000 200000
}

# Findings are saved in the tree's own build folder.
fuzz() {
	local found=$ROOT/build-fuzz/found/ code=0
	mkdir -p "$found"
	"$ENTRY" -detect_leaks=0 -entropic=0 -len_control=0 -reload=0 -timeout=20 \
		-max_len=131072 -rss_limit_mb=4096 -close_fd_mask=3 \
		-max_total_time="$SECONDS_MOST" -artifact_prefix="$found" \
		-print_final_stats=1 "$CORPUS" >"$WORK/log" 2>&1 || code=$?
	sed -n '/^stat::number_of_executed/p; /^stat::average_exec/p' "$WORK/log"
	((code)) || return 0
	grep -A 30 -m 1 -E 'ERROR|runtime error' "$WORK/log"
	echo "what was found is in $found"
	return "$code"
}

command -v clang >/dev/null || {
	echo "skipped: no clang here"
	exit 0
}
make -s -C "$ROOT" FUZZ=1 build-fuzz/tests/fuzz/fuzz_recording fuzz-seeds \
	>/dev/null
make_corpus
fuzz
