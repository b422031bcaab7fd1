#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The questions of docs/queries.md have answers, and the same ones from a
# recording, a store in a file and, where it is installed, a ClickHouse server.
# Some are about requests from one machine to another: two virtual machines with
# a network between them record from one instant on, and a store joins the
# client's side of each request with the server's, and with no other. queries.sh
# --write puts the answers of this run there.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
COUNT=60
[[ -n ${KTRACE_FULL:-}${1:-} ]] || COUNT=30
readonly COUNT SLOW=10

# Records COUNT requests from a client in one machine to a server in another
# one, each SLOWth of which is slow; leaves in $WORK the recordings client and
# server, and the truth logged by both.
record_across() {
	local side role
	local -a machines=()
	mkdir "$WORK/link"
	for side in left right; do
		role=client
		[[ $side == left ]] || role=server
		"$MACHINE" run --discard --fast --kernel 6.12 --cpus 2 \
			--link "$side:$WORK/link" --timeout "$LIMIT_S" \
			--late-results --results "$WORK" -- \
			bash "$HERE/across_guest.sh" "$role" "$WORK" "$KTRACE" \
			"$COUNT" "$SLOW" &
		machines+=($!)
	done
	# Neither waits for the other one if that has failed.
	for side in left right; do
		wait -n && continue
		kill "${machines[@]}" 2>/dev/null || true
		return 1
	done
}

main() {
	local kernel
	need python3
	for kernel in 6.12 6.1; do
		skip_without_machine "$kernel"
	done
	make_programs
	for kernel in 6.12 6.1; do
		"$MACHINE" run --discard --fast --kernel "$kernel" \
			--disk-size 64 --disk-delay 2 --timeout "$LIMIT_S" \
			--late-results --results "$WORK" -- \
			bash "$HERE/queries_guest.sh" "$WORK" "$KTRACE" \
			"web-$kernel"
	done
	record_across
	python3 "$HERE/judge_across.py" "$KTRACE" "$WORK" "$COUNT" "$SLOW" ||
		FAILURES=$((FAILURES + 1))
	python3 "$HERE/queries.py" "$KTRACE" "$WORK" "$ROOT/docs/queries.md" \
		"$@" || FAILURES=$((FAILURES + 1))
	python3 "$ROOT/tests/recorded/sql_waits.py" "$KTRACE" \
		"$WORK/web-6.12" || FAILURES=$((FAILURES + 1))
	python3 "$ROOT/tests/recorded/dashboards.py" "$KTRACE" \
		"$WORK/web-6.12" "$WORK/web-6.1" || FAILURES=$((FAILURES + 1))
}

main "$@"
