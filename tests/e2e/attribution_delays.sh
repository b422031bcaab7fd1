#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --spins shows how long CPUs waited for each other, and report --runqueue how long threads waited for a CPU, and how long another
# CPU was idle meanwhile, as the kernel counted.
#
#	attribution_delays.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
CPUS=${2:-2}

main() {
	prepare_machine python3
	mkdir "$WORK/r"
	in_machine --late-results --results "$WORK/r" -- sh -ec "
		for mode in crowd \$([ $CPUS = 1 ] || echo full barrier pair spin); do
			case \$mode in
			barrier | spin) options= ;;
			*) options=--syscall-data ;;
			esac
			'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/'\$mode \
				--events=attribution,switches \$options -- \
				\$([ \$mode != pair ] || echo taskset 1) \
				'$GUEST_BUILD/tests/e2e/programs/delays' \$mode \
				>'$WORK/r/'\$mode.out
		done"
	python3 "$HERE/judge_delays.py" "$KTRACE" "$WORK/r" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
