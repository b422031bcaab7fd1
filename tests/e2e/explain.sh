#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explain names first why programs are slow whose reason is known by
# construction, and agrees with their own clocks.
#
#	explain.sh [KERNEL [CPUS [CASE...]]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
DEFAULT=(lock inversion fsync pipeline children nap throttled group hog high
	plain pipe)
take_machine "$@"

main() {
	local cases=("${@:3}")
	((${#cases[@]})) || cases=("${DEFAULT[@]}")
	prepare_machine python3
	in_machine --disk-size 64 --disk-delay 40 \
		--results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/explain_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" \
		"$GUEST_BUILD/tests/e2e/programs" "${cases[@]}"
	python3 "$HERE/judge_explain.py" "$KTRACE" "$WORK" "$CPUS" "${cases[@]}" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
