#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --syscalls and timeline --syscalls tell what programs do whose system
# calls are known by construction; perf counts them too.  KERNEL chooses
# Debian's kernel in the virtual machine.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${KERNEL:-6.12}
WAITS=$ROOT/build/tests/e2e/programs/waits

main() {
	need perf
	need python3
	skip_without_machine "$KERNEL"
	make -s -C "$ROOT" e2e-programs >/dev/null
	# The disk takes its time, so that whoever wants it has to wait.
	"$MACHINE" run --fast --kernel "$KERNEL" --disk-size 64 \
		--disk-delay 2 --timeout 600 --results "$WORK" -- \
		bash "$HERE/waits_guest.sh" "$WORK" "$KTRACE" "$WAITS" \
		errors child restart bare copy
	python3 "$HERE/judge_syscalls.py" "$KTRACE" "$WORK" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
