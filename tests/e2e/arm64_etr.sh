#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recordings of two CPUs of the arm64 machine, re-wrapped as a sink that all
# CPUs share (ETR) would have made them: they decode as the real ones, block by
# block, and perf agrees about them.
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"
FILES=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/roots/arm64

skip() {
	printf 'skipped: %s: %s\n' "${0##*/}" "$*"
	exit 0
}

prepare() {
	need python3
	need qemu-aarch64
	"$MACHINE" fetch --arch arm64 >"$WORK/fetch" 2>&1 ||
		skip "no machine: $(tail -n 1 "$WORK/fetch")"
}

# Blocks and what is between, without the bounds of their times, which depend
# on how many bytes are decoded at one go, without places in the trace, and without
# switches, which end with the last AUX record.
blocks() { # recording
	"$KTRACE" dump --blocks -i "$WORK/$1" 2>"$WORK/$1.err" |
		sed '/ switch /d; s/^[0-9]* -[0-9]* +[0-9]* //; s/ at byte.*//'
}

# perf's -C looks at whose buffer the trace is in.
perf_branches() { # recording
	local copy=$WORK/for-perf
	rm -rf "$copy"
	cp -r "$WORK/$1" "$copy"
	awk 'NR % 100 == 1 || $3 ~ /^_(text|stext|etext|edata|end)$/' \
		"$WORK/$1/kcore_dir/kallsyms" >"$copy/kcore_dir/kallsyms"
	HOME=$WORK qemu-aarch64 -L "$FILES" "$FILES/usr/bin/perf" script \
		-i "$copy" --itrace=b -F cpu,ip,addr,flags \
		>"$WORK/perf.all" 2>"$WORK/perf.err"
}

rewrap() { # recording name option...
	python3 "$ROOT/tests/etr_rewrap.py" "${@:3}" "$WORK/$1" "$WORK/$2"
}

expect_same() { # recording least
	local option name
	blocks "$1" >"$WORK/$1.blocks"
	expect_that "$1: blocks" "$(grep -c block "$WORK/$1.blocks")" -ge "$2"
	for option in '' --barriers --etmv4; do
		name=$1-etr$option
		# shellcheck disable=SC2086 # no option is no word
		rewrap "$1" "$name" $option
		expect "$name: no bare trace" 0 \
			"$("$KTRACE" dump --records -i "$WORK/$name" \
				2>/dev/null | grep -c ' aux .*flags 1' || true)"
		blocks "$name" >"$WORK/$name.blocks"
		expect "$name: the same blocks" '' \
			"$(diff "$WORK/$1.blocks" "$WORK/$name.blocks" |
				head -n 4)"
	done
}

# Our blocks of one CPU.
one_cpu() { # recording cpu
	"$KTRACE" dump --blocks -i "$WORK/$1" 2>/dev/null |
		awk -v cpu="$2" '/^stream/ { wanted = $4 == cpu } wanted'
}

expect_perf_agrees() { # recording cpu least
	local code=0
	grep -F "[00$2]" "$WORK/perf.all" >"$WORK/perf.branches"
	one_cpu "$1" "$2" >"$WORK/ours"
	python3 "$ROOT/tests/coresight_perf.py" "$WORK/perf.branches" \
		"$WORK/ours" "$3" >"$WORK/compared" 2>&1 || code=$?
	expect "$1: CPU $2: perf's branches: $(tail -n 1 "$WORK/compared")" \
		0 "$code"
}

main() {
	local cpu
	prepare
	"$MACHINE" run --arch arm64 --cpus 2 --memory 3072 --timeout 600 \
		--results "$WORK" --late-results -- \
		bash "/host$HERE/arm64_etr_guest.sh" "$WORK"
	expect_same all 20000
	expect_same thread 2000
	perf_branches all-etr
	expect "all-etr: perf has nothing to say against it" '' \
		"$(<"$WORK/perf.err")"
	for cpu in 0 1; do
		expect_perf_agrees all-etr "$cpu" 5000
	done
}

main
