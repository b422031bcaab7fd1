#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/tutorial.md is true: its commands do what it says, on the program that
# it is about.  tutorial.sh --write puts the output of this run there.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
SOURCE=$ROOT/docs/tutorial/ledger.c
MACHINE_OPTIONS="--fast --timeout $LIMIT_S --disk-size 64 --disk-delay 60"

record() { # folder program
	(
		cd "$1"
		"$KTRACE" record --machine="$MACHINE_OPTIONS" \
			--events=attribution,syscalls --user -- "./$2" /scratch
	) 2>&1 | tee "$1/said"
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
}

main "$@"
