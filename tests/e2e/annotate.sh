#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ktrace-hw annotate counts each instruction and branch of a program exactly:
# the program counts them itself. For the kernel's functions, the count of the
# first instruction is the number of calls that report --flat has.
#
#	annotate.sh [KERNEL]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}

# Counts the lines with @reason.
reasons() { # function reason option...
	"$KTRACE" annotate "$1" -i "$WORK/r/annotated" "${@:3}" 2>&1 |
		grep -c "$2"
}

main() {
	local program=$GUEST_BUILD/tests/e2e/programs/annotated
	prepare_machine python3
	mkdir "$WORK/r"
	"$MACHINE" run --discard --fast --kernel "$KERNEL" \
		--timeout "$LIMIT_S" --results "$WORK/r" -- sh -ec "
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/annotated' --user \
			-- '$program' >'$WORK/r/annotated.out'"
	python3 "$HERE/judge_annotate.py" "$KTRACE" "$WORK/r" \
		"$HERE/programs/annotated.c" || FAILURES=1
	expect "a function that did not run" 1 \
		"$(reasons kthread_bind "no function 'kthread_bind' ran; ")"
	expect "a function that the options leave out" 1 \
		"$(reasons main "that your options choose" --comm nobody)"
}

main "$@"
