#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --block counts the I/O of a program as the kernel's own counters do,
# and its times agree with the program's clock, on a fast disk and on one with a
# delay.
#
#	attribution_block.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
CPUS=${2:-1}

record_disk() { # name machine-option...
	"$MACHINE" run --discard --fast --kernel "$KERNEL" --cpus "$CPUS" \
		--disk-size 64 "${@:2}" --timeout "$LIMIT_S" --late-results \
		--results "$WORK/r" -- sh -ec "
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/$1' -- \
			'$GUEST_BUILD/tests/e2e/programs/disk_io' /scratch/file \
			>'$WORK/r/$1.out'"
}

main() {
	need python3
	skip_without_machine "$KERNEL"
	make_programs
	mkdir "$WORK/r"
	record_disk fast
	record_disk slow --disk-delay 20
	python3 "$HERE/judge_block.py" "$KTRACE" "$WORK/r" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
