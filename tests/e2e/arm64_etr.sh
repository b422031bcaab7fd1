#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recordings of two CPUs of the arm64 machine, re-wrapped as a sink that all
# CPUs share (ETR) would have made them: they decode as the real ones, block by
# block, and perf agrees about them.
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"
# shellcheck source=tests/e2e/arm64_referee.sh
source "$HERE/arm64_referee.sh"

# Prints blocks and the items between, without time bounds, which depend on how
# many bytes are decoded at once, without positions in the trace, and without
# switches, which end with the last AUX record.
blocks() { # recording
	"$KTRACE" dump --blocks -i "$WORK/$1" 2>"$WORK/$1.err" |
		sed '/ switch /d; s/^[0-9]* -[0-9]* +[0-9]* //; s/ at byte.*//'
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

main() {
	need python3
	need qemu-aarch64
	# shellcheck disable=SC2034 # e2e_test.sh reads it
	GUEST_OPTIONS=(--arch arm64)
	skip_without_machine 6.12
	"$MACHINE" run --discard --arch arm64 --cpus 2 --memory 3072 --timeout 600 \
		--results "$WORK" --late-results -- \
		bash "/host$HERE/arm64_etr_guest.sh" "$WORK"
	expect_same all 20000
	expect_same thread 2000
	expect_perf_agrees all-etr 2 5000
}

main
