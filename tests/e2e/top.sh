#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ktrace-hw top shows, round by round, where a program sleeps and how long its
# slow system call takes, as the program measures it itself; as text, as JSON
# and on a terminal, whose state it restores.
#
#	top.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"

# The command of the README, from this computer.
check_machine() {
	local code=0
	"$KTRACE" top --once \
		--machine="--fast --kernel $KERNEL --cpus $CPUS --timeout $LIMIT_S" \
		--slice 0.5 --format=json -- "${KTRACE%/*}/tests/e2e/programs/naps" \
		/dev/null >"$WORK/machine.json" || code=$?
	expect "--machine: exit code" 0 "$code"
	expect "--machine: the command's sleeps" hrtimer_nanosleep \
		"$(python3 -c '
import json, sys
for row in json.load(sys.stdin)["sleeps"]:
    if row["comm"] == "napper" and row["label"] == "hrtimer_nanosleep" and (
            sys.argv[1] != "1" or 20e6 <= row["mean_ns"] < 21e6):
        print(row["label"])' "$CPUS" <"$WORK/machine.json")"
}

main() {
	prepare_machine python3
	in_machine --results "$WORK" -- bash "$HERE/top_guest.sh" "$WORK" "$KTRACE"
	cat "$WORK/terminal"
	FAILURES=$(grep -c '^FAILED' "$WORK/terminal" || true)
	expect_that "terminal: all of it was tried" \
		"$(grep -c '^ok' "$WORK/terminal")" -eq 20
	python3 "$HERE/judge_top.py" "$WORK" "$CPUS" || FAILURES=$((FAILURES + 1))
	check_machine
}

main "$@"
