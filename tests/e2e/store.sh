#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Stores in real ClickHouse servers, alone and as a cluster: the same answers as
# in an SQLite file, and uploads that are complete or absent, whichever process
# is killed. The cluster, of several servers, is for the full tier.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"

main() {
	local judge
	local -a judges=(answers faults)
	[[ -z ${KTRACE_FULL:-} ]] || judges+=(cluster)
	need python3
	need clickhouse-server
	need clickhouse-client
	skip_without_machine 6.12
	"$MACHINE" run --discard --fast --timeout "$LIMIT_S" \
		--results "$WORK" -- \
		bash "$HERE/store_guest.sh" "$WORK" "$KTRACE"
	for judge in "${judges[@]}"; do
		python3 "$HERE/judge_store_$judge.py" "$KTRACE" "$WORK" ||
			FAILURES=$((FAILURES + 1))
	done
}

main
