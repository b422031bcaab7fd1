#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two isolated runs of the machine must have the same trace and the same truth,
# byte for byte. Two runs that request files from the host must take the same
# time.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

# perf reads all symbols several times, although most are not in the trace: it
# gets only the symbols that delimit the kernel.
run_once() { # dir
	local busybox
	busybox=$(type -P busybox)
	mkdir -p "$1"
	"$MACHINE" run --isolated --include "$busybox" \
		--include "$(type -P perf)" \
		--unit "dump=$1" --truth "$1" --timeout "$LIMIT_S" -- \
		"$busybox" sh -ec "
		$busybox grep -E ' (_text|_stext|_etext|_edata|_end)\$' \
			/proc/kallsyms >/tmp/kallsyms
		$busybox mount --bind /tmp/kallsyms /proc/kallsyms
		exec $(type -P perf) record -B -N -q -m,4M -o /tmp/recording \
			-e intel_pt/cyc=1/ -- $busybox find /sys/class -name nothing"
}

# The clock stops until the host has answered, even if a timer expires
# meanwhile: its interrupt is not the answer. If it were mistaken for the
# answer, the idle guest's clock would jump from timer to timer, by more than 5
# ms in this test. Other kernel work takes far less.
readonly OTHERS_US=1000

kicks() {
	"$MACHINE" run --discard --fast --timeout "$LIMIT_S" --results "$WORK" -- \
		"$WORK/kicks"
}

same_time_with_timers() {
	local first second
	cc -O1 -o "$WORK/kicks" "$HERE/kicks.c"
	# Both runs resume from one state: a fresh start makes other requests to
	# the host, beside other programs, and its timers differ.
	"$MACHINE" run --discard --fast --timeout "$LIMIT_S" --results "$WORK" -- true
	first=$(kicks)
	second=$(kicks)
	if ((first <= 0 || first - second > OTHERS_US ||
		second - first > OTHERS_US)); then
		printf 'FAIL: asking the host took %d us, then %d us\n' \
			"$first" "$second"
		return 1
	fi
	printf 'same time: %d us, %d us\n' "$first" "$second"
}

main() {
	local file
	skip_without_machine 6.12
	same_time_with_timers
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
