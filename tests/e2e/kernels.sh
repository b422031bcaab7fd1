#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Kernels as distributions build them: recordings of perf equal the ground truth,
# and both engines agree on ours.
#
#	kernels.sh [CASE...]
#
# A CASE is kaslr or la57 (page tables of five levels); both without one.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"

# The recordings of perf.
conform() { # name kernel option...
	local log=$WORK/$1.conformance
	if "$ROOT/machine/tests/conformance.sh" "${@:3}" "$2" 1 task-both filter \
		>"$log" 2>&1; then
		ok "$1: $(awk '{ for (i = 1; i < NF; i++)
				if ($i == "branches") sum += $(i + 1) }
			END { print sum }' "$log") branches as the truth"
	else
		not_ok "$1: conformance" "$(grep FAIL "$log" || tail -n 3 "$log")"
	fi
}

record_ours() { # name kernel option...
	"$MACHINE" run --discard --fast --kernel "$2" "${@:3}" \
		--timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$HERE/kernels_guest.sh" "$WORK" "$KTRACE" "$1"
	expect "$1: recorded" 0 "$(<"$WORK/$1.code")"
	expect_that "$1: calls of openat()" 0 -lt \
		"$("$KTRACE" sql --format=csv "$WORK/$1" \
			"SELECT count(*) FROM call WHERE function =
			'do_sys_openat2'" | tail -n 1)"
}

try() { # name kernel option...
	conform "$@"
	record_ours "$@"
}

main() {
	local one
	(($#)) || set -- kaslr la57
	skip_without_machine 6.12
	for one in "$@"; do
		case $one in
		kaslr)
			try kaslr 6.12 --kaslr
			expect "kaslr: the kernel was moved" 1 \
				"$(grep -cv ffffffff81000000 "$WORK/kaslr.text")"
			;;
		la57)
			try la57 6.12 --cpu=+la57
			expect_that "la57: the CPU has it" -n \
				"$(grep -o la57 "$WORK/la57.cpuinfo")"
			;;
		esac
	done
}

main "$@"
