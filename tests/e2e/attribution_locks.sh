#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --locks counts the threads that wait for locks with known numbers of
# waiters: a futex, and a mutex of the kernel.
#
#	attribution_locks.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"

main() {
	prepare_machine python3
	mkdir "$WORK/r"
	in_machine --late-results --results "$WORK/r" -- sh -ec "
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/locks' \
			--events=locks,syscalls -- \
			'$GUEST_BUILD/tests/e2e/programs/locks' files >'$WORK/r/locks.out'"
	expect "only futexes are in the memory of a process" "0" "$("$KTRACE" sql \
		-i "$WORK/r/locks" --format=csv "SELECT count(*) FROM lock_wait
		WHERE (kind = 'futex') <> (lock_pid IS NOT NULL)" | tail -1)"
	python3 "$HERE/judge_locks.py" "$KTRACE" "$WORK/r" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
