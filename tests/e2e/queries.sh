#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The questions of docs/queries.md have answers, and the same ones from a
# recording, a store in a file and, where it is installed, a server of ClickHouse.
# queries.sh --write puts the answers of this run there.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"

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
	record_across 6.12 40 10
	python3 "$HERE/queries.py" "$KTRACE" "$WORK" "$ROOT/docs/queries.md" \
		"$@" || FAILURES=$((FAILURES + 1))
	python3 "$ROOT/tests/recorded/sql_waits.py" "$KTRACE" \
		"$WORK/web-6.12" || FAILURES=$((FAILURES + 1))
}

main "$@"
