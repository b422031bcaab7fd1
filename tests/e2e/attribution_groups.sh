#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tasks grouped by --by, recorded in the virtual machine: groups add up to all,
# cgroups are those that the processes print, gprof reads each group's file.
#
#	attribution_groups.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12} CPUS=${2:-1}

refuses() { # case words command...
	local code=0
	"$KTRACE" "${@:3}" -i "$WORK/groups" 2>"$WORK/refused" >&2 || code=$?
	expect "$1" 2 "$code"
	expect_that "$1: says why" "$(grep -c -e "$2" "$WORK/refused")" = 1
}

main() {
	need python3
	need gprof
	need perf
	skip_without_machine "$KERNEL"
	in_machine --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/groups_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw"
	python3 "$HERE/judge_groups.py" "$KTRACE" "$WORK" ||
		FAILURES=$((FAILURES + 1))
	refuses "--by of nothing" "cannot use 'colour'" report --by=colour
	refuses "--by=choice without one" '--comm, --pid or' report --by=choice
	refuses "--by of spins" 'cannot be combined with --spins' \
		report --spins --by=comm
	refuses "beneficiaries by thread" 'is charged to processes' \
		report --flat --by=thread --bill=beneficiary
	refuses "--by of a timeline" 'needs --format=gmon' \
		export --format=csv --by=comm
	perf evlist -i "$WORK/groups" >"$WORK/events" 2>&1
	expect_that "perf knows its events" \
		"$(grep -c cgroup_attach_task "$WORK/events")" = 1
}

main "$@"
