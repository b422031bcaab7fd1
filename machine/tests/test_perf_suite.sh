#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs perf's own tests of Intel PT and, with --arm64, of CoreSight, from Debian's
# package, in the machine; prints a line per case.  No case may be skipped except
# the one that the guest's side leaves out for the reason given there.
#
#	test_perf_suite.sh [--arm64] [KERNEL]
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

# "--- Test … ---" starts a case, "OK" ends it; other lines are its reason for
# failing. Or a case is one line, with PASS or FAIL after its name.
cases() { # output
	awk 'function note(name) { if (!(name in seen)) {
			seen[name]; order[++count] = name } }
	     /^--- (Cleaning up|Done) ---/ { next }
	     /^--- .* ---$/ { name = $0; gsub(/^--- | +---$/, "", name)
			note(name); next }
	     /: (PASS|FAIL)$/ { line = $0; sub(/: [A-Z]*$/, "", line)
			note(line); result[line] = /PASS$/ ? "ok" : "FAIL"; next }
	     name && /^OK$/ { result[name] = "ok"; next }
	     name && NF { result[name] = $0 }
	     END { for (i = 1; i <= count; i++)
			print result[order[i]] "|" order[i] }' "$1"
}

check_cases() {
	local result name count=0 least
	least=$(sed -n 's/^cases: //p' "$WORK/out")
	while IFS='|' read -r result name; do
		expect "$name" ok "$result"
		count=$((count + 1))
	done < <(cases "$WORK/out")
	expect "so many cases or more" "$least" "$((count < least ? count : least))"
}

main() {
	local -a arch=() cpus=(--cpus 2)
	local guest=$HERE/perf_suite/guest.sh
	if [[ ${1:-} == --arm64 ]]; then
		# With one CPU, the guest has its own clock: a slow machine
		# loses no trace.
		arch=(--arch arm64) cpus=()
		guest=/host$guest
		shift
	fi
	skip_without_machine "${1:-6.12}" "${arch[@]}"
	capture "$MACHINE" run --discard "${arch[@]}" "${cpus[@]}" \
		--kernel "${1:-6.12}" --memory 3072 --timeout "$((12 * LIMIT_S))" \
		-- bash "$guest"
	if [[ $OUT == 'no suite: '* ]]; then
		printf 'skipped: %s: %s\n' "${0##*/}" "${OUT#no suite: }"
		exit 0
	fi
	sed -n 's/^left out: /skipped: /p' "$WORK/out"
	check_cases
	expect "all of it: exit code" 0 "$CODE"
}

main "$@"
