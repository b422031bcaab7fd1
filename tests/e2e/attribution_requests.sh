#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --requests finds what servers of several kinds were asked for, by pipe,
# terminal, Unix socket and TCP, as their clients know it, and adds up to --servers.
#
#	attribution_requests.sh [KERNEL [CPUS [CASE...]]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
CPUS=${2:-1}
CASES=("${@:3}")
[[ -n ${CASES[*]} ]] ||
	CASES=(poll-pipe poll-pty pool-unix fork-tcp chain-unix ahead-tcp
		drain-unix)
RECORDER=$GUEST_BUILD/ktrace-hw
REQUESTS=$GUEST_BUILD/tests/e2e/programs/requests

main() {
	local has_sockets=1
	need python3
	skip_without_machine "$KERNEL"
	make_programs
	mkdir "$WORK/r"
	# Sockets say how much is sent and read since Linux 6.3.
	[[ $KERNEL != 6.1 ]] || has_sockets=0
	"$MACHINE" run --discard --fast --kernel "$KERNEL" --cpus "$CPUS" \
		--timeout "$LIMIT_S" --late-results --results "$WORK/r" -- sh -ec "
		. '$GUEST_ROOT/tests/e2e/guest_run.sh'
		hold_symbols
		for case in ${CASES[*]}; do
			'$RECORDER' record -o '$WORK'/r/\$case \
				--events=attribution -- '$REQUESTS' \
				\${case%-*} \${case#*-} '$WORK'/r/\$case.truth
		done"
	python3 "$HERE/judge_requests.py" "$KTRACE" "$WORK/r" "$has_sockets" \
		"$CPUS" "${CASES[@]}" || FAILURES=$((FAILURES + 1))
}

main "$@"
