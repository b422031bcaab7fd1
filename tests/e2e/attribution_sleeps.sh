#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --sleeps tells where programs sleep, with which stacks, and who wakes
# them, where all that is known by construction.  KERNEL chooses Debian's
# kernel in the virtual machine, CASES some of the cases.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${KERNEL:-6.12}
CASES=${CASES:-stacks static pipe child futex disk labels}

main() {
	local cases
	read -ra cases <<<"$CASES"
	need perf
	need python3
	skip_without_machine "$KERNEL"
	"${CC:-cc}" -O2 -g -std=c17 -D_GNU_SOURCE -o "$WORK/waits" \
		"$HERE/programs/waits.c"
	"${CC:-cc}" -O2 -g -std=c17 -D_GNU_SOURCE -static -no-pie \
		-o "$WORK/waits-static" "$HERE/programs/waits.c"
	"$MACHINE" run --fast --kernel "$KERNEL" --disk-size 64 \
		--disk-delay 60 --timeout 600 --results "$WORK" -- \
		bash "$HERE/waits_guest.sh" "$WORK" "$KTRACE" "$WORK/waits" \
		"${cases[@]}"
	python3 "$HERE/judge_sleeps.py" "$KTRACE" "$WORK" "${cases[@]}" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
