#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --only, in the virtual machine: each chosen call with all that it
# calls, once and in order, none of others, against the ground truth; and all
# time outside of them is reported as not requested.
#
#	gating.sh [--arm64] [KERNEL [CPUS]]
#
# On arm64 Linux 6.12 reports that it is unsupported; 7.3 supports it.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"
take_arm64 "$@"
shift "$IS_ARM64"
((IS_ARM64)) && DEFAULT_KERNEL=7.3 || DEFAULT_KERNEL=6.12
readonly KERNEL=${1:-$DEFAULT_KERNEL} CPUS=${2:-1}
readonly TOOL=$ROOT/build/machine/tests/tool_functions
# With several CPUs truth and trace read the host's clock one after the other,
# and the host may run something else in between.
readonly HOST_CLOCK_NS=20000000
# With one, CoreSight's time stamps come at intervals (Intel PT's clock is exact).
readonly TIME_STAMPS_NS=100

code_of() { cat "$WORK/$1.code"; }

# The loader's opens and reads precede the program's own.
calls_of() { # recording call
	"$KTRACE" sql -i "$WORK/$1" --format=csv 2>/dev/null \
		"SELECT count(*) FROM syscall WHERE call = '$2'" | tail -n 1
}

# Checks that every CPU's time adds up, and that none of it is unknown except
# the interrupts in which the kernel gives the trace unit the next part of a
# long buffer.
check_sums() { # name
	local wall traced not_asked off
	wall=$(summary_of "$WORK/$1" cpu wall_ns)
	traced=$(summary_of "$WORK/$1" cpu traced_ns)
	not_asked=$(summary_of "$WORK/$1" cpu not_asked_ns)
	off=$(summary_of "$WORK/$1" cpu off_ns)
	expect "$1: traced, not asked for and off are the wall time" "$wall" \
		$((traced + not_asked + off))
	expect_that "$1: nearly never off: $off ns" $((off * 100)) -lt "$wall"
	expect "$1: no gap" 0 "$(summary_of "$WORK/$1" cpu gaps)"
	expect_that "$1: longer than the recording's tenth part" \
		$((not_asked * 10)) -gt "$wall"
}

# Prints the BPF programs of calls that were chosen later, in the format of
# kallsyms: the copy of kallsyms was made before they were loaded.
later_names() { # name
	"$KTRACE" dump --records -i "$WORK/$1" 2>/dev/null |
		sed -nE 's/.* ksymbol new ([0-9a-f]+)\+[0-9a-f]+ (\S+)$/\1 t \2\t[bpf]/p'
}

check_truth() { # name function...
	local name=$1 said
	local -a options=()
	shift
	((!IS_ARM64)) || options=(--slack "$TIME_STAMPS_NS")
	((CPUS == 1)) || options=(--slack "$HOST_CLOCK_NS")
	"$KTRACE" timeline -i "$WORK/$name" --format=csv >"$WORK/$name.csv" \
		2>/dev/null
	later_names "$name" >"$WORK/$name.names"
	"$TOOL" --names "$WORK/$name.names" --list "$WORK/truth" "$WORK/$name" \
		<"$WORK/$name.csv" >"$WORK/$name.truth"
	if said=$("$HERE/judge_gating.py" "${options[@]}" "$WORK/$name.csv" \
		"$WORK/$name.truth" "$@"); then
		ok "$name: $said"
	else
		not_ok "$name: not as the truth" "$said"
	fi
}

check_calls() {
	local openat read
	expect "the program's own count" "40 opens, 8 reads" \
		"$(cat "$WORK/gated.out")"
	openat=$(calls_of gated openat)
	read=$(calls_of gated read)
	expect "as many as in a recording of all" \
		"$(calls_of whole openat) $(calls_of whole read)" \
		"$openat $read"
	expect_that "the program's opens are there: $openat" "$openat" -ge 40
	expect_that "and its reads: $read" "$read" -ge 8
	expect "no other system call" 2 "$("$KTRACE" sql -i "$WORK/gated" \
		--format=csv 2>/dev/null \
		"SELECT count(DISTINCT call) FROM syscall" | tail -n 1)"
}

# The kernel reports a result after the end of a chosen call's trace.
check_results() {
	expect "results: the command's exit code" 0 "$(code_of results)"
	expect "results: each call has its own" 0 "$("$KTRACE" sql \
		-i "$WORK/results" --format=csv 2>/dev/null \
		"SELECT count(*) FROM syscall WHERE result IS NULL" |
		tail -n 1)"
	expect "results: a byte for each read of the pipe, a file for each open" \
		"openat 5 read 3 " "$("$KTRACE" sql -i "$WORK/results" \
			--format=csv 2>/dev/null \
			"SELECT call, count(*) FROM syscall
			 WHERE comm = 'chosen_calls' AND (call = 'read' AND
			 result = 1 OR call = 'openat' AND result >= 3 AND
			 arg2 = 0) GROUP BY call ORDER BY call" |
			tail -n +2 | tr ',\n' '  ')"
}

# Checks that each run of the program has exactly the calls chosen for it; the
# loader opens and reads as always.
check_choices() { # openat, read: calls of the loader's
	local opens=$((5 + $1)) reads=$((3 + $2)) list
	expect "chosen: the command's exit code" 0 "$(code_of chosen)"
	expect "chosen: openat, then read, then none, then both" \
		"openat $opens read $reads openat $opens read $reads " \
		"$("$KTRACE" sql -i "$WORK/chosen" --format=csv 2>/dev/null \
			"SELECT call, count(*) FROM syscall
			 WHERE comm = 'chosen_calls'
			 GROUP BY pid, call ORDER BY pid, call" |
			tail -n +2 | tr ',\n' '  ')"
	for list in openat read none openat,read; do
		expect_that "chosen: report says since when $list" -n \
			"$("$KTRACE" report -i "$WORK/chosen" 2>/dev/null |
				grep -E "^  only +$list from ([0-9.]+ s|the start)$")"
	done
	expect_that "chosen: what cannot be is said, with what is near" -n \
		"$(grep "only='opneat'.*did you mean .*openat.*choice is unchanged" \
			"$WORK/chosen.err")"
}

check_few() {
	expect "the command's exit code" 0 "$(code_of gated)"
	expect "nothing is left in tracefs" 0 "$(cat "$WORK/left")"
	expect "no call was made: nothing is traced" 0 \
		"$(summary_of "$WORK/nothing" cpu traced_ns)"
	expect "an unknown function" 125 "$(code_of unknown)"
	expect_that "and those near it" -n \
		"$(grep "only='opneat'.*did you mean .*openat" \
			"$WORK/unknown.err")"
	expect "a function that allows no probe" 125 "$(code_of no_probe)"
	expect_that "and it is said" -n \
		"$(grep 'allows no probe at get_kprobe' "$WORK/no_probe.err")"
	expect "wrong usage" 2 "$(code_of usage)"
	expect "no named pipe" 125 "$(code_of no_pipe)"
	expect_that "and it is said" -n \
		"$(grep 'passwd is not a named pipe' "$WORK/no_pipe.err")"
}

# Checks that the error names the Linux version that supports it, and the
# nearest alternative.
check_refusal() {
	expect "this kernel cannot" 125 "$(code_of gated)"
	expect_that "and it is said, with what to do instead" -n \
		"$(grep 'only: .*6\.1[36].*--filter.*--trigger' \
			"$WORK/gated.err")"
}

cannot_pause() {
	[[ $KERNEL == 6.1 ]] || { ((IS_ARM64)) && [[ $KERNEL == 6.12 ]]; }
}

main() {
	local calls=__x64_sys
	((!IS_ARM64)) || calls=__arm64_sys
	skip_without_machine "$KERNEL"
	make_programs
	mkdir "$WORK/truth"
	in_machine --results "$WORK" --truth "$WORK/truth" -- \
		bash "$GUEST_ROOT/tests/e2e/gating_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" \
		"$GUEST_BUILD/tests/e2e/programs/chosen_calls"
	if cannot_pause; then
		check_refusal
		return
	fi
	check_few
	check_calls
	check_results
	check_choices $(($(calls_of gated openat) - 40)) \
		$(($(calls_of gated read) - 8))
	check_sums gated
	check_sums chosen
	check_sums function
	check_sums nothing
	check_truth gated "${calls}_openat" "${calls}_read"
	check_truth function vfs_open
	check_truth chosen "${calls}_openat" "${calls}_read"
	rm -r "$WORK/whole" "$WORK/nothing"
}

main "$@"
