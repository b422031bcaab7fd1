#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf's own test of Intel PT, as Debian's package brings it, in the machine:
# a line for each of its cases, none of which may be skipped.
#
#	test_perf_suite.sh [KERNEL]
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

# Where perf's packages have had their tests.
find_suite() {
	local core
	for core in "$(perf --exec-path)" /usr/lib/perf-core \
		/usr/libexec/perf-core; do
		[[ ! -r $core/tests/shell/test_intel_pt.sh ]] || {
			printf '%s\n' "$core/tests/shell"
			return
		}
	done
}

# "--- Test … ---" begins a case, "OK" ends it; what it said else is why.
cases() { # output
	awk '/^--- (Cleaning up|Done) ---/ { next }
	     /^--- .* ---$/ { name = $0; gsub(/^--- | +---$/, "", name); next }
	     name && /^OK$/ { result[name] = "ok"; next }
	     name && NF { result[name] = $0 }
	     name && !(name in seen) { seen[name]; order[++count] = name }
	     END { for (i = 1; i <= count; i++)
			print result[order[i]] "|" order[i] }' "$1"
}

check_cases() {
	local result name
	while IFS='|' read -r result name; do
		expect "$name" ok "$result"
	done < <(cases "$WORK/out")
}

main() {
	local suite kernel=${1:-6.12}
	suite=$(find_suite)
	if [[ -z $suite ]]; then
		printf 'skipped: %s: %s has no tests/shell/test_intel_pt.sh\n' \
			"${0##*/}" "$(perf --version)"
		exit 0
	fi
	skip_without_machine "$kernel"
	capture "$MACHINE" run --kernel "$kernel" --cpus 2 --memory 3072 \
		--timeout "$((2 * LIMIT_S))" -- \
		bash "$HERE/perf_suite/guest.sh" "$suite"
	check_cases
	expect "all of it: exit code" 0 "$CODE"
}

main "$@"
