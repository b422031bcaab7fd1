#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two isolated runs of the machine: the same trace and the same truth, byte
# for byte.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

run_once() { # dir
	mkdir -p "$1"
	"$MACHINE" run --isolated --include "$(type -P busybox)" \
		--unit "dump=$1" --truth "$1" --timeout "$LIMIT_S" -- \
		"$(type -P perf)" record -B -N -q -m,4M -o /tmp/recording \
		-e intel_pt/cyc=1/ -- "$(type -P busybox)" \
		find /sys/class -name nothing
}

main() {
	local file
	skip_without_machine 6.12
	run_once "$WORK/first" >/dev/null
	run_once "$WORK/second" >/dev/null
	for file in trace.0 truth.0; do
		[[ -s $WORK/first/$file ]]
		if ! cmp "$WORK/first/$file" "$WORK/second/$file"; then
			printf 'FAIL: %s differs\n' "$file"
			return 1
		fi
		printf 'same %s: %d bytes\n' "$file" \
			"$(stat -c %s "$WORK/first/$file")"
	done
}

main
