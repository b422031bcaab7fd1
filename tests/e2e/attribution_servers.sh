#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --servers charges a server's work to the clients that requested it by
# pipe, Unix socket, UDP, and one of two pipes, in known proportions; and a
# shell is no server of the commands whose output it reads.
#
#	attribution_servers.sh [--arm64] [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"
RECORDER=$GUEST_BUILD/ktrace-hw
SERVERS=$GUEST_BUILD/tests/e2e/programs/servers

main() {
	local has_sockets=1
	prepare_machine python3
	mkdir "$WORK/r"
	# Socket events have byte counts since Linux 6.3.
	[[ $KERNEL != 6.1 ]] || has_sockets=0
	in_machine --late-results --results "$WORK/r" -- sh -ec "
		. '$GUEST_ROOT/tests/e2e/guest_run.sh'
		hold_symbols
		for case in pipe unix udp many early; do
			'$RECORDER' record -o '$WORK'/r/\$case \
				--events=attribution,syscalls -- '$SERVERS' \$case
		done
		'$RECORDER' record -o '$WORK'/r/output \
			--events=attribution,syscalls -- sh -c \
			'x=\$(ls /etc) && y=\$(ls /etc | sort) && test \"\$x\$y\"'"
	python3 "$HERE/judge_servers.py" "$KTRACE" "$WORK/r" "$has_sockets" \
		"$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
