#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --requests finds the requests to servers of several kinds, by pipe,
# terminal, Unix socket and TCP, also through a proxy that has several at a
# time, programs that are executed and an io_uring, as their clients logged them,
# and adds up to --servers.
#
#	attribution_requests.sh [KERNEL [CPUS [CASE...]]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"
CASES=("${@:3}")
[[ -n ${CASES[*]} ]] ||
	CASES=(poll-pipe poll-pty pool-unix fork-tcp chain-unix ahead-tcp
		drain-unix sync-unix proxy-tcp exec-unix uring-pipe)
RECORDER=$GUEST_BUILD/ktrace-hw
REQUESTS=$GUEST_BUILD/tests/e2e/programs/requests

main() {
	local has_sockets=1 disk=()
	prepare_machine python3
	mkdir "$WORK/r"
	# From 512 MB on blocks are as large as pages: else Linux 6.1 needs no kworker.
	[[ " ${CASES[*]}" != *" sync-"* ]] ||
		disk=(--disk-size 512 --disk-delay 1)
	# Socket events have byte counts since Linux 6.3.
	[[ $KERNEL != 6.1 ]] || has_sockets=0
	in_machine "${disk[@]}" --late-results --results "$WORK/r" -- sh -ec "
		. '$GUEST_ROOT/tests/e2e/guest_run.sh'
		hold_symbols
		journal() {
			cat /proc/fs/jbd2/*/info >'$WORK'/r/\$case.\$1 2>&1 || :
		}
		for case in ${CASES[*]}; do
			journal before
			'$RECORDER' record -o '$WORK'/r/\$case \
				--events=attribution -- '$REQUESTS' \
				\${case%-*} \${case#*-} '$WORK'/r/\$case.truth
			journal after
		done"
	python3 "$HERE/judge_requests.py" "$KTRACE" "$WORK/r" "$has_sockets" \
		"$CPUS" "${CASES[@]}" || FAILURES=$((FAILURES + 1))
}

main "$@"
