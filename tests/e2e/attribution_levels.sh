#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Reports of a recording with fewer events mark missing results as unknown and
# name the option that provides them; nothing is silently 0.
#
#	attribution_levels.sh [--arm64] [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"
RECORDER=$GUEST_BUILD/ktrace-hw
PROGRAMS=$GUEST_BUILD/tests/e2e/programs

main() {
	prepare_machine python3
	mkdir "$WORK/r"
	in_machine --late-results --results "$WORK/r" -- sh -ec "
		. '$GUEST_ROOT/tests/e2e/guest_run.sh'
		hold_symbols
		# Each write to a terminal makes work for a kworker.
		for level in none sched irq all attribution \
			attribution,syscalls; do
			'$RECORDER' record -o '$WORK'/r/\$level -a \
				--events=\$level -- sh -c '
				\"\$0/processes\" sleeper ping
				\"\$0/servers\" unix
				\"\$0/requests\" poll pty /dev/null' '$PROGRAMS'
		done
		'$RECORDER' record -o '$WORK/r/cpu' -C 0 --events=attribution \
			-- '$PROGRAMS/processes' sleeper
		'$RECORDER' record -o '$WORK/r/default' -- \
			'$PROGRAMS/processes' sleeper ping"
	python3 "$HERE/judge_levels.py" "$KTRACE" "$WORK/r" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
