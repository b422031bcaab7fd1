#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record and explain, without options, name why real programs are slow, and
# agree with strace, the kernel's counts and the programs' own clocks.
#
#	explain_real.sh [KERNEL [CPUS [CASE...]]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
DEFAULT=(database proxy build clone fight quota storm cold crash loop held
	straggler killed)
take_machine "$@"

main() {
	local cases=("${@:3}") program python
	((${#cases[@]})) || cases=("${DEFAULT[@]}")
	for program in python3 sqlite3 strace git make cc gzip flock curl; do
		need "$program"
	done
	python3 -c 'import jsonschema' 2>/dev/null || {
		printf 'skipped: %s: no python3-jsonschema here\n' "${0##*/}"
		exit 0
	}
	# The one in PATH may be a script.
	python=$(python3 -c 'import sys; print(sys.executable)')
	skip_without_machine "$KERNEL"
	make_programs
	in_machine --disk-size 256 --disk-delay 40 \
		--results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/explain_real_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" "$GUEST_ROOT" "$python" "${cases[@]}"
	python3 "$HERE/judge_explain_real.py" "$KTRACE" "$WORK" "$CPUS" \
		"${cases[@]}" || FAILURES=$((FAILURES + 1))
}

main "$@"
