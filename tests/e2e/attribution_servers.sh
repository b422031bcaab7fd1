#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --servers bills a server's work to the clients that asked for it by
# pipe, Unix socket, UDP, and one of two pipes, by what each is known to ask.
#
#	attribution_servers.sh [KERNEL]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
SERVERS=$ROOT/build/tests/e2e/programs/servers

main() {
	need python3
	skip_without_machine "$KERNEL"
	make -s -C "$ROOT" e2e-programs >/dev/null
	mkdir "$WORK/r"
	"$MACHINE" run --fast --kernel "$KERNEL" --timeout "$LIMIT_S" \
		--late-results --results "$WORK/r" -- sh -ec "
		for case in pipe unix udp many; do
			'$KTRACE' record -o '$WORK'/r/\$case \
				--events=attribution -- '$SERVERS' \$case
		done"
	python3 "$HERE/judge_servers.py" "$KTRACE" "$WORK/r" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
