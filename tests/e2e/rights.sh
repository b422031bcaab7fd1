#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# doctor and record name the one right that is missing and what grants it; with
# the capabilities that they name, an ordinary user can record.
#
#	rights.sh [KERNEL]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}

code() { # name
	cat "$WORK/$1.code"
}

expect_refusal() { # name subject missing command
	expect_that "$1: names what is missing" -n \
		"$(grep -hE "^$2 .*$3|$3" "$WORK/$1".{out,err})"
	expect_that "$1: names what grants it" -n \
		"$(grep -hF -e "$4" "$WORK/$1".{out,err})"
}

refused_record() { # name missing command
	expect "$1: exit code" 125 "$(code "$1")"
	expect_refusal "$1" record "$2" "$3"
}

rights_row() { # name
	grep -E '^rights ' "$WORK/$1.out" | tr -s ' ' | cut -d ' ' -f 2
}

judge() {
	local level
	expect "root records" 0 "$(code root)"
	expect "a user records with the capabilities of the file" 0 \
		"$(code capable)"
	refused_record stricter "kernel.perf_event_paranoid is 3" \
		"sysctl kernel.perf_event_paranoid=2"
	refused_record unreadable "CAP_DAC_READ_SEARCH is missing" setcap
	refused_record nameless "CAP_SYSLOG is missing" setcap
	refused_record unlocked "exceed kernel.perf_event_mlock_kb" \
		"sysctl kernel.perf_event_mlock_kb=16384"
	expect "the named sysctl suffices" 0 "$(code raised)"
	for level in -1 0; do
		expect "paranoid $level: events need no capability" yes \
			"$(rights_row "paranoid$level")"
	done
	for level in 1 2 3 4; do
		expect "paranoid $level: no events" no \
			"$(rights_row "paranoid$level")"
		expect_refusal "paranoid$level" rights \
			"CAP_PERFMON is missing .kernel.perf_event_paranoid is $level" \
			setcap
	done
	expect_refusal namespace rights "user namespace do not count" \
		"on the host"
	expect_refusal container rights "CAP_PERFMON is missing" \
		"record as root in a container that was started with --cap-add=PERFMON,"
	refused_record container_record "CAP_PERFMON is missing" \
		"--cap-add=PERFMON,"
	expect "a container with the capabilities records" 0 \
		"$(code allowed_container)"
	expect_refusal hidden "kernel symbols" "kptr_restrict is 2" \
		"sysctl kernel.kptr_restrict=1"
	expect "hidden: the trace unit is there" yes \
		"$(grep '^trace unit ' "$WORK/hidden.out" | tr -s ' ' |
			cut -d ' ' -f 3)"
	expect_that "hidden: function_graph is no way out" -n \
		"$(grep 'cannot use the trace unit until' "$WORK/hidden.out")"
	refused_record hidden_record "kptr_restrict is 2" \
		"sysctl kernel.kptr_restrict=1"
	[[ -e $WORK/locked.code ]] || {
		printf 'skipped: lockdown: this kernel has none\n'
		return
	}
	expect "lockdown=integrity: records" 0 "$(code integral)"
	expect_refusal locked "kernel code" "locked down" lockdown=integrity
	refused_record locked_record "locked down" lockdown=integrity
}

main() {
	need setcap
	skip_without_machine "$KERNEL"
	"$MACHINE" run --discard --fast --kernel "$KERNEL" \
		--timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/rights_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw"
	judge
}

main "$@"
