#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cost of recording for the recorded program, by the virtual machine's
# clock, in which an instruction is a nanosecond: docs/cost.md has the table.
#
#	attribution_cost.sh [KERNEL]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}

# The recording stays in the guest's memory.
measure() {
	"$MACHINE" run --fast --kernel "$KERNEL" --timeout "$LIMIT_S" \
		--late-results --results "$WORK" -- sh -ec "
		. '$GUEST_ROOT/tests/e2e/guest_run.sh'
		hold_symbols
		cd '$WORK'
		'$GUEST_BUILD/tests/e2e/programs/cost' >untraced
		for level in none sched attribution default syscalls data everything; do
			events=--events=\$level
			[ \$level != default ] || events=
			[ \$level != syscalls ] || events=--events=attribution,syscalls
			[ \$level != data ] || events=--syscall-data
			[ \$level != everything ] || events=--everything
			operations='getppid pread ping fault'
			case \$level in syscalls | data | everything) operations= ;; esac
			'$GUEST_BUILD/ktrace-hw' record -o r --buffer 32M \
				\$events -- \
				'$GUEST_BUILD/tests/e2e/programs/cost' \
				\$operations >\$level
			# Trace and records; the copy of the kernel's code is not in it.
			echo recorded \$(stat -c %s r/data) >>\$level
			rm -r r
		done" 2>/dev/null
}

cost() { # level operation
	awk -v name="$2" '$1 == name { print $2 }' "$WORK/$1"
}

# Checks that a cost is at most the given percentage of the cost at another
# level.
at_most() { # level operation percent other
	local here there unit=ns
	here=$(cost "$1" "$2")
	there=$(cost "$4" "$2")
	[[ $2 != recorded ]] || unit=bytes
	expect_that "$1: $2: $here $unit, at most $3 % of $there ($4)" \
		$((here * 100)) -le $((there * $3))
}

main() {
	skip_without_machine "$KERNEL"
	make_programs
	measure
	local level
	for level in none sched attribution default; do
		at_most "$level" getppid 101 untraced
		at_most "$level" pread 105 untraced
	done
	for level in sched attribution default; do
		at_most "$level" ping 130 none
		[[ $level == sched ]] || at_most "$level" ping 160 untraced
		at_most "$level" fault 130 none
	done
	# Recording the objects of arguments costs less than tracing with ptrace, by far.
	at_most data getppid 1250 untraced
	at_most data openat 145 syscalls
	# The stacks of programs are in the trace of user space.
	at_most everything getppid 105 data
	at_most everything openat 110 data
	# The recorded bytes at the time of writing, and the increase by each
	# level.
	expect_that "none: $(cost none recorded) bytes are recorded" \
		"$(cost none recorded)" -le 1700000
	at_most sched recorded 112 none
	at_most attribution recorded 120 none
	at_most default recorded 120 none
}

main "$@"
