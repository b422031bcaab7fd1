#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --syscalls and timeline --syscalls tell what programs do whose system
# calls are known by construction; perf counts them too.
#
#	attribution_syscalls.sh [KERNEL]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
PROGRAMS=$ROOT/build/tests/e2e/programs

main() {
	need perf
	need python3
	skip_without_machine "$KERNEL"
	make -s -C "$ROOT" e2e-programs >/dev/null
	# The disk takes its time, so that whoever wants it has to wait.
	"$MACHINE" run --fast --kernel "$KERNEL" --disk-size 64 \
		--disk-delay 2 --timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$HERE/waits_guest.sh" "$WORK" "$KTRACE" "$PROGRAMS/waits" \
		errors child restart bare copy
	# Debian's kernels have x32 for those who ask for it.
	"$MACHINE" run --kernel "$KERNEL" --append syscall.x32=y \
		--timeout "$LIMIT_S" --results "$WORK" -- sh -ec "
		cd /dev/shm
		'$KTRACE' record -o abis --events=attribution -- \
			'$PROGRAMS/abis' >abis.out
		cp -r abis abis.out '$WORK'"
	python3 "$HERE/judge_syscalls.py" "$KTRACE" "$WORK" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
