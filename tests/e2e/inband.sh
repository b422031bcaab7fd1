#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libktrace-hw: the records that a program gets of its own calls match the calls
# known by construction, and timeline --syscalls of the recordings that they
# were made from; every function in them is in the machine's ground truth; both
# engines agree on these.
#
#	inband.sh [--arm64]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"

run_parts() { # machine-option... -- part...
	divide "$@"
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" "${OPTIONS[@]}" \
		--timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/inband_guest.sh" "$WORK" \
		"$GUEST_BUILD" "${REST[@]}"
}

# What is known to be missing after a CPU was switched off is in each record.
check_hotplug() {
	run_parts --cpus 2 -- hotplug
	expect "hotplug: nothing is lost before" "before 0" \
		"$(grep '^before ' "$WORK/hotplug.out")"
	expect_that "hotplug: records are lost afterwards" \
		"$(grep -c '^\(after\|later\) [1-9]' "$WORK/hotplug.out")" -eq 2
}

main() {
	need python3
	take_arm64 "$@"
	skip_without_machine 6.12
	make_programs
	mkdir "$WORK/truth"
	# A disk of 50 ms or more wakes by a thread of the kernel's dm-delay, which has
	# a name.
	run_parts --truth "$WORK/truth" --disk-size 64 --disk-delay 60 -- \
		examples denied watch full wrap misuse web cost
	# Uses the machine of the library's own tests, whose state is cached.
	run_parts --no-trace-unit --cpus 2 -- unit
	((IS_ARM64)) || check_hotplug
	python3 "$HERE/judge_inband.py" "$KTRACE" "$WORK" ||
		FAILURES=$((FAILURES + 1))
	python3 "$HERE/judge_inband_truth.py" \
		"$ROOT/build/machine/tests/tool_passages" "$WORK" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
