#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Processes whose times are known by construction, recorded in the virtual
# machine: `ktrace-hw report` has each nanosecond in one class, as many as the
# program made, and as many as the ground truth. One line a case.
#
#	attribution_processes.sh [one_cpu|two_cpus|old_kernel|old_two_cpus|
#				  made_by_perf|coarse|coarse_user|user_tasks|
#				  user_turns|pauses|narrower]... [arm64]
#
# Without arguments all but those of kernel 6.1, old_kernel, old_two_cpus and
# pauses.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
PROGRAM=$ROOT/build/tests/e2e/programs/processes
TURNS=$ROOT/build/tests/e2e/programs/turns
CLASSES=$ROOT/build/machine/tests/tool_classes
SWITCHES=$ROOT/build/machine/tests/tool_switches
BLOCKS=$ROOT/build/machine/tests/tool_blocks

judge() { # recording checks...
	local name=$1
	shift
	"$KTRACE" report --threads --with-tracer --format=json -i "$WORK/$name/r" \
		>"$WORK/$name/json"
	python3 "$HERE/judge_processes.py" "$WORK/$name/json" "$@" |
		sed "s/^[^:]*:/& $name:/" | tee "$WORK/$name/verdict"
	if grep -q '^FAILED' "$WORK/$name/verdict"; then
		FAILURES=$((FAILURES + 1))
	fi
}

# Records the cases in a boot of their own, together with the ground truth. The
# recording stays in the guest's memory until it has ended: writing it to the
# host's folder is much kernel work, and traced. The trace fits into its
# buffers, as it pauses while a buffer is emptied.
boot() { # name options... -- command...
	local name=$1
	mkdir -p "$WORK/$name/truth"
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" --timeout "$LIMIT_S" \
		--truth "$WORK/$name/truth" --late-results \
		--results "$WORK/$name" "${@:2}" >/dev/null
	"$SWITCHES" "$WORK/$name/truth" "$WORK/$name/r" >"$WORK/$name/switches"
}

# The truth is classified by the functions of x86-64.
truth_classes() { # name
	"$CLASSES" "$WORK/$1/truth" "$WORK/$1/r" >"$WORK/$1/csv"
}

# The processor's flag, as the machine has it, is the truth.
check_interrupts_off() { # name
	"$SWITCHES" --interrupts "$WORK/$1/truth" "$WORK/$1/r" \
		>"$WORK/$1/interrupts"
	"$KTRACE" report --irqsoff --with-tracer --format=json \
		-i "$WORK/$1/r" >"$WORK/$1/irqsoff"
	python3 "$HERE/judge_irqsoff.py" "$1" "$WORK/$1/irqsoff" \
		"$WORK/$1/interrupts" || FAILURES=$((FAILURES + 1))
}

# Sets RECORD to the command that records into the folder of that name.
record_to() { # name option...
	# shellcheck disable=SC2054 # the comma is the option's
	RECORD=("$KTRACE" record -o "$WORK/$1/r" --events=attribution,all
		"${@:2}" --)
}

waits_for_cpus() { # name
	"$KTRACE" report --runqueue --with-tracer --format=json \
		-i "$WORK/$1/r" >"$WORK/$1/waits"
}

# The calls with which the kernel stuffs the return stack lead into the middle
# of their own function: they are two thirds of its instructions, a nanosecond
# each.
check_return_stack_stuffing() { # name
	local calls=0 own_ns=0
	read -r calls own_ns < <("$KTRACE" report --flat --with-idle \
		--with-tracer --format=csv -i "$WORK/$1/r" |
		awk -F, '$1 == "__switch_to_asm" { print $2, $3 }')
	expect "$1: __switch_to_asm is called once a switch of the truth" \
		"$(($(wc -l <"$WORK/$1/switches") - 1))" "$calls"
	expect_that "$1: it stuffs the return stack each time" \
		"$own_ns" -ge $((calls * 64))
}

one_cpu() {
	local text bill
	record_to one --buffer 64M
	boot one -- "${RECORD[@]}" "$PROGRAM" \
		sleeper hog caller faulter ping tree futex execer poller
	truth_classes one
	waits_for_cpus one
	for bill in victim beneficiary; do
		"$KTRACE" report --tracer --by=process "--bill=$bill" \
			--format=csv -i "$WORK/one/r" >"$WORK/one/$bill"
	done
	judge one --exact --cases --truth "$WORK/one/csv" --within 100 \
		--runqueue "$WORK/one/waits" \
		--instead "$WORK/one/waits" "$WORK/one/r" "$WORK/one/switches" \
		--sched "$WORK/one/r" "$WORK/one/switches" 0 \
		--histogram "$KTRACE" "$WORK/one/r" "$WORK/one/switches" \
		--tracer "$WORK/one/csv" 200 "$WORK/one/victim" \
		"$WORK/one/beneficiary"
	text=$("$KTRACE" report --sleeps --comm polled -i "$WORK/one/r")
	# The last thread of a process reaps itself before it wakes the parent.
	expect "one: each child that ended is known" 0 "$("$KTRACE" report \
		--sleeps --comm processes --format=csv -i "$WORK/one/r" |
		grep -c '?' || true)"
	# The scheduler or the tracer, which they interrupted, does not name them.
	expect "one: interrupts have the names of handlers" 0 "$("$KTRACE" \
		explain --format=json -i "$WORK/one/r" |
		grep -o '"kind":"interrupts","function":"[^"]*"' |
		grep -cE '"(__schedule|perf_.*)"$' || true)"
	check_return_stack_stuffing one
	check_interrupts_off one
	expect "one: the times are its own" 0 \
		"$(host_lines report --threads "$WORK/one/r" || true)"
	expect_line "one: perf woke the one that polls" "$text" \
		'    woken by  1x interrupt [a-z_]* perf_event_wakeup$'
}

# The host's clock continues while the recorder waits for the host, so much is
# traced meanwhile: it has to fit into the buffers.
on_two_cpus() { # name kernel
	record_to "$1" --buffer 128M
	boot "$1" --kernel "$2" --cpus 2 -- "${RECORD[@]}" \
		"$PROGRAM" sleeper caller ping tree
	truth_classes "$1"
	waits_for_cpus "$1"
	judge "$1" --exact --truth-by-host-clock "$WORK/$1/csv" \
		--runqueue "$WORK/$1/waits"
	check_heads "$1"
	check_interrupts_off "$1"
}

two_cpus() { on_two_cpus two 6.12; }

old_two_cpus() { on_two_cpus old_two 6.1; }

# Counts the notices in the first lines that the times are a host's.
host_lines() { # command option... recording
	"$KTRACE" "${@:1:$#-1}" -i "${!#}" 2>/dev/null | head -n 3 |
		grep -c '^Times are from the host.s clock, '
}

# Text reports have the notice in their output, output for programs on standard
# error.
check_heads() { # name
	local report said r=$WORK/$1/r
	for report in processes threads flat callgraph calltree tracer syscalls \
		sleeps runqueue interrupts servers requests locks user-sites \
		crashes function=vfs_read; do
		expect "$1: --$report: its head says whose the times are" 1 \
			"$(host_lines report "--$report" "$r" || true)"
	done
	expect "$1: timeline: its head says whose the times are" 1 \
		"$(host_lines timeline "$r" || true)"
	for said in "report --flat --format=json" "report --threads --format=csv" \
		"flamegraph --folded" "export --format=csv"; do
		# shellcheck disable=SC2086
		expect "$1: $said: says beside it whose the times are" 1 "$(
			"$KTRACE" $said -i "$r" 2>&1 >/dev/null |
				grep -c "clock of the virtual machine's host" ||
				true)"
	done
}

old_kernel() {
	record_to old --buffer 64M
	boot old --kernel 6.1 -- "${RECORD[@]}" "$PROGRAM" \
		sleeper hog caller ping futex execer
	truth_classes old
	waits_for_cpus old
	judge old --exact --cases --truth "$WORK/old/csv" --within 100 \
		--runqueue "$WORK/old/waits" \
		--sched "$WORK/old/r" "$WORK/old/switches" 0
}

arm64() {
	use_arm64
	skip_without_machine 6.12
	make_programs
	boot arm64 -- "$GUEST_BUILD/ktrace-hw" record -o "$WORK/arm64/r" \
		--buffer 64M --events=attribution,all -- \
		"$GUEST_BUILD/tests/e2e/programs/processes" sleeper hog \
		caller faulter ping tree futex execer poller
	# Between two timestamps times are from cycle counts, some of which are
	# as much as 1 us off (conformance_arm64.sh).
	judge arm64 --exact --cases \
		--sched "$WORK/arm64/r" "$WORK/arm64/switches" 2000
}

# perf reads all symbols five times, and each module's file; the kernel prints
# the symbols once, beforehand.
perf_in() { # name event machine's-option...
	# shellcheck disable=SC2016 # for the guest's shell
	boot "$1" "${@:3}" -- bash -ec 'source "$0/guest_run.sh"
		hold_symbols
		busybox mount -t tmpfs none /usr/lib/modules
		exec "$@"' "$HERE" \
		perf record --kcore -a -q -B -N -m 4M,16M \
		-o "$WORK/$1/r" -e "$2" -e sched:sched_switch \
		-e sched:sched_waking -e sched:sched_wakeup_new \
		"$PROGRAM" sleeper caller ping
	truth_classes "$1"
}

engines_agree() { # name
	local code=0
	"$KTRACE" verify -i "$WORK/$1/r" >"$WORK/$1/verify" || code=$?
	expect "$1: engines agree" 0 "$code"
}

# With TSC packets alone, time bounds are so wide that several switches are
# within them: both engines find the task by the order of the trace.
coarse() {
	perf_in coarse intel_pt/mtc=0,cyc=0/
	engines_agree coarse
	expect_that "coarse: on most events" "$(grep -o '[0-9]* events equal' \
		"$WORK/coarse/verify" | cut -d ' ' -f 1)" -ge 50000
	expect "coarse: the graph engine has all code" "" \
		"$(grep 'graph *[1-9][0-9]* gaps' "$WORK/coarse/verify" || true)"
}

# Of user space alone, the trace has neither switch points nor page tables: the
# addresses of the entries decide. No code is lost, and none is invented.
coarse_user() {
	local code=0
	boot user -- perf record --kcore -a -q -B -N -m 4M,16M -o "$WORK/user/r" \
		-e intel_pt/mtc=0,cyc=0/u \
		"$PROGRAM" sleeper caller ping tree execer
	"$KTRACE" dump --blocks -i "$WORK/user/r" >"$WORK/user/blocks"
	"$BLOCKS" "$WORK/user/truth" 0 "u:$WORK/user/blocks" || code=$?
	expect "user: all code is that of the truth" 0 "$code"
}

# The kernel may switch tasks whenever the trace leaves user space. The idle task
# has no user code.
user_tasks() {
	local name
	boot tasks -- perf record --kcore -a -q -B -N -m 4M,16M \
		-o "$WORK/tasks/r" -e intel_pt//u "$PROGRAM" sleeper caller ping
	"$KTRACE" timeline -i "$WORK/tasks/r" >"$WORK/tasks/timeline"
	for name in sleeper ping pong; do
		expect_that "tasks: $name runs" "$(grep -c " $name-.*runs now" \
			"$WORK/tasks/timeline")" -gt 0
	done
	expect "tasks: none is idle" "" "$(grep ' swapper-.*\[u\]' \
		"$WORK/tasks/timeline" | head -n 3)"
}

# Prints how many calls of the program turns.c are in a task of @2, a pattern for
# the calls' function and the task's name.
turns_in() { # recording pattern
	"$KTRACE" timeline --format=csv -i "$WORK/$1/r" 2>/dev/null |
		awk -F, -v "wanted=$2" '$1 == "enter" && $8 ~ /_turn$/ &&
			$8 " in " $6 ~ wanted { count++ }
			END { print count + 0 }'
}

# With few time packets, an entry's bounds contain many switches, and the address
# does not show which of two processes of one program entered: its task is
# unknown, and never a wrong one.
user_turns() {
	boot turns -- perf record --kcore -a -q -B -N -m 4M,16M \
		-o "$WORK/turns/r" -e intel_pt//u "$TURNS"
	boot coarse_turns -- perf record --kcore -a -q -B -N -m 4M,16M \
		-o "$WORK/coarse_turns/r" -e intel_pt/mtc=0,cyc=0/u "$TURNS"
	engines_agree turns
	engines_agree coarse_turns
	expect "turns: alpha's calls" 100 "$(turns_in turns "^alpha_turn in alpha$")"
	expect "turns: beta's calls" 100 "$(turns_in turns "^beta_turn in beta$")"
	expect "turns: all calls" 200 "$(turns_in turns .)"
	expect "coarse_turns: calls in a known task or an unknown one" 200 "$(
		turns_in coarse_turns "^(alpha_turn in alpha|beta_turn in beta|.* in [?])$")"
	expect "coarse_turns: all calls" 200 "$(turns_in coarse_turns .)"
}

made_by_perf() {
	perf_in perf intel_pt//k
	judge perf --exact --cases --truth "$WORK/perf/csv" \
		--sched "$WORK/perf/r" "$WORK/perf/switches" uncertain
	engines_agree perf
}

# Before 6.12 the kernel pauses the trace for each event that perf enables after
# it.
pauses() {
	perf_in pauses intel_pt/cyc/k --kernel 6.1
	judge pauses --exact --cases --truth "$WORK/pauses/csv"
}

# Results that a recording does not contain are reported as unknown.
narrower() {
	local text
	mkdir -p "$WORK/plain" "$WORK/cpu"
	# By a host's clock a thread may be late for a sleep that it has begun.
	"$MACHINE" run --discard --fast --timeout "$LIMIT_S" --late-results \
		--results "$WORK/plain" -- "$KTRACE" record \
		-o "$WORK/plain/r" --events=none -- "$PROGRAM" sleeper >/dev/null
	"$MACHINE" run --discard --fast --cpus 2 --timeout "$LIMIT_S" \
		--late-results --results "$WORK/cpu" -- "$KTRACE" record \
		-o "$WORK/cpu/r" -C 0 --events=sched -- sh -c \
		"taskset 2 sysctl kernel.sched_schedstats=1 && '$PROGRAM' sleeper" \
		>/dev/null
	judge plain --sums --not-known
	judge cpu --sums
	text=$("$KTRACE" report -i "$WORK/plain/r")
	expect_line "plain: text says what would tell" "$text" \
		'Not recorded: asleep_ns, .*: the recording has no sched:sched_waking, .*(record --events=attribution)'
	text=$("$KTRACE" report -i "$WORK/cpu/r")
	expect_line "cpu: text says why time is unknown" "$text" \
		'Time off the CPU is unknown: other CPUs'
	text=$("$KTRACE" dump --records -i "$WORK/cpu/r")
	expect_line "cpu: what another CPU patches is recorded" "$text" \
		'.* cpu 1 .* text-poke '
}

expect_line() { # case text beginning-of-a-line
	if grep -q "^$3" <<<"$2"; then
		ok "$1"
	else
		not_ok "$1" "no line '$3'"
	fi
}

main() {
	need python3
	need perf
	skip_without_machine 6.12
	make -s -C "$ROOT" "${PROGRAM#"$ROOT"/}" "${TURNS#"$ROOT"/}" "${CLASSES#"$ROOT"/}" \
		"${SWITCHES#"$ROOT"/}" "${BLOCKS#"$ROOT"/}"
	if (($# == 0)); then
		set -- one_cpu two_cpus made_by_perf coarse coarse_user \
			user_tasks user_turns narrower arm64
	fi
	for part; do
		"$part"
	done
}

main "$@"
