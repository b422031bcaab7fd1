#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a recording with fewer events cannot tell is not known in the reports,
# which say what would tell it; nothing is silently 0.
#
#	attribution_levels.sh [KERNEL]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
PROGRAMS=$ROOT/build/tests/e2e/programs

main() {
	need python3
	skip_without_machine "$KERNEL"
	make -s -C "$ROOT" e2e-programs >/dev/null
	mkdir "$WORK/r"
	"$MACHINE" run --fast --kernel "$KERNEL" --timeout "$LIMIT_S" \
		--late-results --results "$WORK/r" -- sh -ec "
		for level in none sched irq all attribution; do
			'$KTRACE' record -o '$WORK'/r/\$level -a \
				--events=\$level -- sh -c '
				$PROGRAMS/processes sleeper ping
				$PROGRAMS/servers unix'
		done
		'$KTRACE' record -o '$WORK/r/cpu' -C 0 --events=attribution \
			-- '$PROGRAMS/processes' sleeper"
	python3 "$HERE/judge_levels.py" "$KTRACE" "$WORK/r" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
