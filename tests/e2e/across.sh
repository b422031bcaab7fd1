#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Requests from one machine to another: two virtual machines with a network between
# them record from one instant on, and a store joins the client's side of each
# request with the server's, and with no other.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
readonly COUNT=60 SLOW=10

main() {
	need python3
	skip_without_machine 6.12
	make_programs
	record_across 6.12 "$COUNT" "$SLOW"
	python3 "$HERE/judge_across.py" "$KTRACE" "$WORK" "$COUNT" "$SLOW" ||
		FAILURES=$((FAILURES + 1))
}

main
