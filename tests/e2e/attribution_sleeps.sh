#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --sleeps tells where programs sleep, with which stacks, and who wakes
# them, where all that is known by construction.
#
#	attribution_sleeps.sh [--arm64] [KERNEL [CASE...]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_arm64 "$@"
shift "$IS_ARM64"
DEFAULT=(stacks static pipe child futex disk chain labels)
KERNEL=${1:-6.12}

main() {
	local cases=("${@:2}")
	((${#cases[@]})) || cases=("${DEFAULT[@]}")
	need perf
	need python3
	skip_without_machine "$KERNEL"
	make_programs
	record_waits "$KERNEL" 60 "${cases[@]}"
	python3 "$HERE/judge_sleeps.py" "$KTRACE" "$WORK" "${cases[@]}" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
