#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libktrace-hw: the records that a program gets of its own calls are what is known
# of these by construction, and what timeline --syscalls says of the recordings
# that they were made from; both engines see the same in these.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
CASES=(getppid read naps fsync pipe faults)

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

main() {
	need python3
	skip_without_machine 6.12
	make_programs
	run_parts -- examples watch full misuse denied web cost
	run_parts --no-trace-unit -- unit
	python3 "$HERE/judge_inband.py" "$KTRACE" "$WORK" "${CASES[@]}" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
