#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --sleeps tells where programs sleep, with which stacks, and who wakes
# them, where all that is known by construction.
#
#	attribution_sleeps.sh [KERNEL [CASE...]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
WAITS=$ROOT/build/tests/e2e/programs/waits

main() {
	local cases=("${@:2}")
	((${#cases[@]})) ||
		cases=(stacks static pipe child futex disk chain labels)
	need perf
	need python3
	skip_without_machine "$KERNEL"
	make -s -C "$ROOT" e2e-programs >/dev/null
	"$MACHINE" run --fast --kernel "$KERNEL" --disk-size 64 \
		--disk-delay 60 --timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$HERE/waits_guest.sh" "$WORK" "$KTRACE" "$WAITS" \
		"${cases[@]}"
	python3 "$HERE/judge_sleeps.py" "$KTRACE" "$WORK" "${cases[@]}" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
