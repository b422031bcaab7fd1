#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libktrace-hw: the records that a program gets of its own calls are what is known
# of these by construction, what timeline --syscalls says of the recordings
# that they were made from, and what the truth says of these.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
readonly TOOL=$ROOT/build/machine/tests/tool_functions
CASES=(getppid read naps fsync pipe faults)

# The truth of all parts would be large.
run_parts() { # machine-option... -- part...
	local -a options=()
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	"$MACHINE" run --discard --fast "${options[@]}" --disk-size 64 \
		--disk-delay 2 --timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$HERE/inband_guest.sh" "$WORK" \
		"$ROOT/build/tests/e2e/programs" \
		"$ROOT/build/docs/tutorial/slow_web" "$@"
}

check_truth() { # name
	if "$KTRACE" timeline -i "$WORK/$1" --format=csv |
		"$TOOL" --time-p99 100 "$WORK/truth" "$WORK/$1" \
			>"$WORK/$1.match" 2>&1; then
		sed "s|^$WORK/|ok: |" "$WORK/$1.match"
	else
		not_ok "$1: not as the truth" "$(cat "$WORK/$1.match")"
	fi
}

main() {
	local name
	need python3
	skip_without_machine 6.12
	make_programs
	mkdir "$WORK/truth"
	run_parts --truth "$WORK/truth" -- examples
	run_parts -- watch full misuse denied web cost
	run_parts --no-trace-unit -- unit
	for name in "${CASES[@]}"; do
		check_truth "$name"
	done
	python3 "$HERE/judge_inband.py" "$KTRACE" "$WORK" "${CASES[@]}" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
