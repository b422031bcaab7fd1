#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/tutorial.md is true: its commands have the documented output, on the
# program that it is about. tutorial.sh --write puts the output of this run
# there.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
SOURCE=$ROOT/docs/tutorial/ledger.c
MACHINE_OPTIONS="--fast --timeout $LIMIT_S --disk-size 64 --disk-delay 60"

record() { # folder program
	(
		cd "$1"
		"$KTRACE" record --machine="$MACHINE_OPTIONS" \
			--everything -- "./$2" /scratch
	) 2>&1 | tee "$1/said"
}

# A different build replaces the recorded program: it is ignored, as if it were
# missing, except for a message about it.
check_rebuilt() {
	local slow=$WORK/slow
	cp "$slow/ledger" "$WORK/ledger"
	expect_that "the program's names are known" -n "$(names_of "$slow")"
	cp "$WORK/mended/ledger" "$slow/ledger"
	expect "a program built anew has other names" "" "$(names_of "$slow")"
	"$KTRACE" timeline -i "$slow/ktrace.data" >"$WORK/timeline" \
		2>"$WORK/timeline.err"
	expect_that "and is said to be another" -n \
		"$(grep "slow/ledger: not the file that was recorded" \
			"$WORK/timeline.err")"
	expect "its code is not run through" "" \
		"$(grep -E 'bad trace|unknown instruction' "$WORK/timeline")"
	expect_that "but is a gap" -n "$(grep 'gap: no code' "$WORK/timeline")"
	mv "$WORK/ledger" "$slow/ledger"
	expect_that "the recorded one is taken again" -n "$(names_of "$slow")"
}

# The program's own functions.
names_of() { # folder
	"$KTRACE" report --flat --format=csv -i "$1/ktrace.data" 2>/dev/null |
		grep -E '^(main|book|note_progress),' || true
}

main() {
	need python3
	skip_without_machine 6.12
	mkdir "$WORK/slow" "$WORK/mended"
	cp "$SOURCE" "$WORK/slow/ledger.c"
	grep -v 'fsync(progress)' "$SOURCE" >"$WORK/mended/ledger.c"
	for folder in slow mended; do
		# shellcheck disable=SC2086 # a command with its arguments
		(cd "$WORK/$folder" && ${CC:-cc} -O1 -g -o ledger ledger.c)
		record "$WORK/$folder" ledger
	done
	ln -s ../slow/ktrace.data "$WORK/mended/ktrace.data.old"
	python3 "$HERE/tutorial.py" "$KTRACE" "$WORK" \
		"$ROOT/docs/tutorial.md" "$@" || FAILURES=1
	check_rebuilt
}

main "$@"
