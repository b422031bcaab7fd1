#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each option of `ktrace-hw record` has its effect, in the virtual machine; perf
# reads the results.
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"

code_of() { cat "$WORK/$1.code"; }

summary() { # recording section name
	summary_of "$WORK/$1" "$2" "$3"
}

# How many lines of the timeline have this event and, if given, function.
lines_of() { # recording event [function]
	"$KTRACE" timeline -i "$WORK/$1" --format=csv 2>/dev/null |
		awk -F, -v event="$2" -v name="${3:-}" \
			'$1 == event && (name == "" || $8 == name) { n++ }
			 END { print n + 0 }'
}

tasks_in() { # recording
	"$KTRACE" timeline -i "$WORK/$1" --format=csv 2>/dev/null |
		awk -F, '$1 == "enter" { seen[$5] = 1 }
			 END { for (tid in seen) n++; print n + 0 }'
}

check_codes() {
	expect "the command's exit code" 7 "$(code_of code)"
	expect "ended by signal 9" 137 "$(code_of signal)"
	expect_that "and says so" -n \
		"$(grep 'ended by SIGKILL' "$WORK/signal.err")"
	expect_that "and report --crashes says whom, and its last call" -n \
		"$("$KTRACE" report --crashes -i "$WORK/signal" --format=csv \
			2>/dev/null | grep ',sh,.*signal that was sent.*;kill$')"
	expect "no such command" 127 "$(code_of absent)"
	expect "not executable" 126 "$(code_of denied)"
	expect "wrong usage" 2 "$(code_of usage)"
	expect "-q: no notes" "0 " "$(code_of quiet) $(<"$WORK/quiet.err")"
	expect "no recording of a command that did not run" "" \
		"$(find "$WORK" -maxdepth 1 -name absent)"
	expect "no such CPU: recording fails" 125 "$(code_of no-cpu)"
	expect "no such function: recording fails" 125 "$(code_of nonsense)"
	expect_that "and says which" -n \
		"$(grep no_such_function "$WORK/nonsense.err")"
}

check_targets() {
	expect_that "--user: user space too" \
		"$(summary user recording trace)" -gt 1000
	expect "--user: nothing is outside" 0 "$(summary user cpu outside_ns)"
	expect_that "kernel only: user space is outside" \
		"$(summary code cpu outside_ns)" -gt 1000
	expect_that "-a: several tasks" "$(tasks_in longer)" -gt 3
	expect_that "-C: everything there" "$(tasks_in cpu)" -gt 3
	expect "-p ends in time" 0 "$(code_of pid)"
	expect "-p: all three threads that ran" 3 "$(tasks_in pid)"
	expect_that "-p: in the middle of their lives" \
		"$(lines_of pid enter vfs_read)" -gt 30
}

check_ways() {
	expect "--duration ends the command" 143 "$(code_of duration)"
	expect_that "--duration is kept" \
		"$(cat "$WORK/duration.seconds")" -lt 15
	expect "--max-size: the command runs on" 3 "$(code_of largest)"
	expect_that "--max-size: the recording ends there, and says so" \
		"$(summary largest recording trace)" -gt 800000 -a \
		"$(summary largest recording trace)" -lt 2000000 -a -n \
		"$(grep -- 'ended at --max-size' "$WORK/largest.err")"
	expect_that "it says how long it is, and how to look at it" -n \
		"$(grep 'duration: 0.2[0-9]* s, ' "$WORK/duration.err")" -a -n \
		"$(grep 'ktrace-hw explain -i duration' "$WORK/duration.err")"
	expect "--snapshot keeps one buffer" 65536 \
		"$(summary snapshot recording trace)"
	expect_that "--snapshot keeps the newest bytes" \
		"$(lines_of snapshot enter do_exit)" -gt 0
	expect "--snapshot drops the oldest" 0 \
		"$(lines_of snapshot enter begin_new_exec)"
	expect "--snapshot until a signal comes" 0 "$(code_of asked)"
	expect_that "SIGUSR2 makes one more snapshot" -n \
		"$(grep '2 snapshots' "$WORK/asked.err")"
	expect_that "both are there" \
		"$(summary asked recording trace)" -gt 66000
	expect_that "--buffer: -a runs longer than it" \
		"$(summary longer recording trace)" -gt $((300 << 10))
	expect "--buffer: the recorder comes in time" 0 \
		"$(summary longer recording truncated_trace)"
}

# A sum of all that happened.
calls_of() { # recording
	"$KTRACE" timeline -i "$WORK/$1" --format=csv 2>/dev/null | md5sum
}

# The files of the CPUs, joined for perf.
check_threads() {
	local name
	for name in threads compress; do
		expect "--$name: recorded" 0 "$(code_of $name)"
		expect "--$name: no gap" 0 "$(summary $name cpu gaps)"
		expect_that "--$name: to the end" \
			"$(lines_of $name enter do_exit)" -gt 0
		"$KTRACE" archive -q --join -i "$WORK/$name" \
			-o "$WORK/$name-joined" 2>/dev/null
		expect "--$name: archive --join joins the files" \
			"$(calls_of $name)" \
			"$(calls_of $name-joined)"
		expect "--$name: and has only one" data \
			"$(cd "$WORK/$name-joined" && echo data*)"
	done
	expect_that "--threads: the trace is in a file of its CPU" \
		"$(stat -c %s "$WORK/threads/data.0")" -gt 100000
	expect_that "--compress: that is smaller" \
		"$(stat -c %s "$WORK/compress/data.0.zst")" -lt \
		"$(summary compress recording trace)"
	# Its trace is a few per cent of a buffer.
	expect "--threads: the disk was not behind" "" \
		"$(grep "the disk was behind" "$WORK/threads.err")"
	expect "--threads: not with --snapshot" 2 "$(code_of threads-not)"
	[[ -z ${KTRACE_FULL:-} ]] || python3 "$HERE/large_recording.py" \
		"$KTRACE" "$WORK/threads" "$WORK" 10240 ||
		FAILURES=$((FAILURES + 1))
}

# A command that keeps the recorder from running loses trace, but nothing else.
check_loss() {
	local truncated
	truncated=$(summary lossy recording truncated_trace)
	expect_that "loss: each is recorded" "$truncated" -ge 2
	expect "loss: and said" "trace was lost $truncated times" \
		"$(grep -o 'trace was lost [0-9]* times' "$WORK/lossy.err")"
	expect_that "loss: and how much waited for the disk" -n \
		"$(grep "the disk was behind: at most .* waited" "$WORK/lossy.err")"
	expect_that "loss: is a gap" "$(summary lossy cpu gap_ns)" -gt 1000000
	expect "loss: both engines have as many gaps" 1 \
		"$("$KTRACE" verify -i "$WORK/lossy" |
			grep -o '[0-9]* gaps' | sort -u | wc -l)"
	expect_that "loss: tracing goes on after each" \
		"$(lines_of lossy enter do_exit)" -ge 2
	command -v perf >/dev/null || return 0
	expect_that "loss: perf counts the same" -n \
		"$(perf script --itrace=cr -i "$WORK/lossy" 2>&1 >/dev/null |
			grep "AUX data lost $truncated times")"
}

# The larger recording has more of everything, and takes longer.
check_times() {
	local name=code
	[[ -z ${KTRACE_FULL:-} ]] || name=longer
	expect "damaged times are gaps, for both engines" 4 \
		"$(python3 "$HERE/damaged_times.py" "$KTRACE" "$WORK/$name" \
			"$WORK")"
}

check_filters() {
	local name
	for name in filter range; do
		expect_that "--$name: the function is there" \
			"$(lines_of $name enter vfs_read)" -ge 3
		expect "--$name: nothing else is" \
			"$(lines_of $name enter)" \
			"$(lines_of $name enter vfs_read)"
		expect_that "--$name: time filtered out is marked so" \
			"$(summary $name cpu filtered_ns)" -gt 1000
	done
}

# How many packets that count cycles.
cycle_packets() { # recording
	"$KTRACE" dump --packets -i "$WORK/$1" 2>/dev/null | grep -c ' cyc ' ||
		true
}

check_cycles() {
	expect_that "cycles are counted by default" \
		"$(cycle_packets filter)" -gt 50
	expect "--no-cycles: recorded" 0 "$(code_of no-cycles)"
	expect "--no-cycles: none is counted" 0 "$(cycle_packets no-cycles)"
	expect "--no-cycles: no gap" 0 "$(summary no-cycles cpu gaps)"
	expect "--cycles=16: Intel PT refuses" 125 "$(code_of cycles-each)"
	expect_that "and says what" -n \
		"$(grep 'intel_pt.*--cycles' "$WORK/cycles-each.err")"
}

# How many samples of a tracepoint.
samples() { # recording tracepoint
	"$KTRACE" dump --records -i "$WORK/$1" 2>/dev/null |
		grep -c "sample [a-z_]*:$2" || true
}

check_events() {
	expect_that "attribution is the default" \
		"$(samples events-default timer_start)" -gt 0 -a \
		"$(samples events-default sched_waking)" -gt 0
	expect "no more by default" 0 "$(samples events-default sys_enter)"
	expect_that "it says first what is missing" -n \
		"$(grep 'cost: .*; not recorded: user space' \
			"$WORK/events-default.err")"
	expect "without tracefs: recorded" 0 "$(code_of events-hidden)"
	expect "without tracefs: no events" 0 \
		"$(samples events-hidden sched_waking)"
	expect_that "without tracefs: a warning" \
		"$(grep -c 'warning.*tracefs' "$WORK/events-hidden.err")" = 1
	expect "without tracefs: --events=sched is refused" 125 \
		"$(code_of events-refused)"
	expect "--events=none" 0 "$(samples events-none sched_switch)"
	expect_that "--events=sched" "$(samples events-sched sched_waking)" \
		-gt 0
	expect "--events=sched: no more" 0 "$(samples events-sched softirq)"
	expect_that "--events=irq" "$(samples events-irq softirq_entry)" -gt 0
	expect "--events=irq: no more" 0 "$(samples events-irq sys_enter)"
	expect_that "--events=all" "$(samples events-all sys_enter)" -gt 50 -a \
		"$(samples events-all timer_start)" -gt 0
	expect_that "--everything" "$(samples everything sys_enter)" -gt 50 -a \
		"$(samples everything timer_start)" -gt 0 -a \
		"$(summary everything recording trace)" -gt 1000
	for name in none sched irq all; do
		expect "--events=$name: no gap" 0 \
			"$(summary "events-$name" cpu gaps)"
	done
}

check_accidents() {
	expect "SIGINT ends the command" 130 "$(code_of interrupted)"
	expect_that "and leaves a recording" \
		"$(lines_of interrupted enter)" -gt 1000
	expect_that "and the recording is finished" -z \
		"$("$KTRACE" report -i "$WORK/interrupted" 2>&1 |
			grep "not finished")"
	expect "killed" 137 "$(code_of killed)"
	expect_that "reading that says so first" -n \
		"$("$KTRACE" report -i "$WORK/killed" 2>&1 |
			sed -n '1{/not finished/p}')"
	expect "SIGQUIT ends the command, too" 131 "$(code_of quitted)"
	expect_that "and the recording is finished" -z \
		"$("$KTRACE" report -i "$WORK/quitted" 2>&1 |
			grep "not finished")"
	expect_that "what was whole is readable" \
		"$(lines_of killed enter)" -gt 1000
	expect "disk full" 125 "$(code_of full)"
	expect_that "the message says so" -n \
		"$(grep 'No space left on device' "$WORK/full.err")"
	expect_that "what fitted is readable" \
		"$(lines_of full enter)" -gt 1000
}

check_rights() {
	expect "doctor: this machine can" 0 "$(code_of doctor)"
	expect_that "doctor: it has a trace unit" -n \
		"$(grep -E '^trace unit +yes' "$WORK/doctor.out")"
	expect "doctor, without rights: it cannot" 1 "$(code_of anyone/doctor)"
	expect_that "doctor, without rights: says the way out" -n \
		"$(grep 'record as root' "$WORK/anyone/doctor.out")"
	expect "record, without rights" 125 "$(code_of anyone/record)"
	expect_that "record, without rights: says the way out" -n \
		"$(grep 'record as root' "$WORK/anyone/record.err")"
	expect_that "record, without rights: leaves nothing" ! \
		-e "$WORK/anyone/any"
}

# Prints the count that hostile_folders.py wrote for a name.
hostile() { # name
	sed -n "s/^$1 //p" "$WORK/hostile.out"
}

check_hostile() {
	expect "a second user's attempts change nothing of root's" 0 \
		"$(hostile changed)"
	expect_that "a hundred of them" "$(hostile attempts)" -ge 100
	expect_that "what is planted is refused" "$(hostile refused)" -ge 100
	expect "of three recorders at once, one records" "0 125 125" \
		"$(hostile codes)"
	expect "and the others say why not" 2 "$(hostile locked)"
	expect_that "a recording and its caches have $(hostile written) files" \
		"$(hostile written)" -ge 12
	expect "and each of them was attacked" unlisted \
		"$(grep ^unlisted "$WORK/hostile.out")"
}

# date(1) prints the time at which its write() is recorded.
check_activation() {
	local printed wanted late
	printed=$(cat "$WORK/activated.out")
	wanted=$("$KTRACE" sql --format=csv "$WORK/activated" \
		"SELECT activate_ns FROM recording" | tail -n 1)
	expect "--activate=/1s: at a whole second" 0 $((wanted % 1000000000))
	expect_that "--activate: the command runs after it, soon" \
		"$printed" -gt "$wanted" -a \
		"$printed" -lt $((wanted + 500000000))
	late=$("$KTRACE" sql --format=csv "$WORK/activated" "SELECT
		max(begin_ns) + clock_begin_offset_ns - $printed
		FROM syscall, recording WHERE comm = 'date' AND call = 'write'" |
		tail -n 1)
	expect_that "the clock's offset to CLOCK_REALTIME is right ($late ns)" \
		"$late" -ge 0 -a "$late" -lt 2000000
	expect_that "dump says it, too" -n "$("$KTRACE" dump --records \
		-i "$WORK/activated" | grep 'at the end: CLOCK_REALTIME [0-9]* ')"
	expect "--activate: an instant that has passed" 125 \
		"$(code_of activated-late)"
	expect_that "and says so" -n \
		"$(grep 'after that time' "$WORK/activated-late.err")" -a \
		! -e "$WORK/activated-late"
	expect "--activate: no instant" 2 "$(code_of activated-wrong)"
	expect "--activate: a signal comes before" 130 \
		"$(code_of activated-not)"
	expect_that "and there is no recording" ! -e "$WORK/activated-not"
}

# A kernel that distrusts the CPU's counter.
check_unstable() {
	"$MACHINE" run --discard --fast --append tsc=unstable \
		--timeout "$LIMIT_S" --results "$WORK" -- \
		"$KTRACE" record -o /dev/shm/unstable -- true \
		2>"$WORK/unstable.err"
	expect_that "no conversion of the trace's times: record says so" -n \
		"$(grep 'cap_user_time_zero is 0' "$WORK/unstable.err")"
}

# The command of the README, from the host.
check_machine() {
	local code=0
	"$KTRACE" record -q "--machine=--fast --timeout $LIMIT_S" -a \
		-o "$WORK/machine" -- sh -c 'echo hello; exit 3' \
		>"$WORK/machine.out" 2>"$WORK/machine.err" || code=$?
	expect "--machine: the command's exit code" 3 "$code"
	expect "--machine: and its output" hello "$(cat "$WORK/machine.out")"
	expect "--machine -q: no notes" "" \
		"$(grep 'ktrace-hw record:' "$WORK/machine.err")"
	expect_that "--machine -a: its own writing is no part of it" \
		"$(summary machine recording trace)" -lt $((8 << 20))
	expect_that "--machine: a recording" \
		"$(lines_of machine enter)" -gt 10000
}

main() {
	local name
	skip_without_machine 6.12
	make_programs
	"$MACHINE" run --discard --fast --timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$HERE/record_guest.sh" "$WORK" "$KTRACE"
	check_codes
	check_targets
	check_ways
	check_threads
	check_loss
	check_times
	check_filters
	check_cycles
	check_events
	check_accidents
	check_activation
	check_rights
	check_hostile
	check_machine
	[[ -z ${KTRACE_FULL:-} ]] || check_unstable
	command -v perf >/dev/null || return 0
	local -a names=(code snapshot events-all machine threads-joined)
	# Of whole CPUs, as machine.
	[[ -z ${KTRACE_FULL:-} ]] || names+=(cpu longer)
	for name in "${names[@]}"; do
		expect_perf_reads "perf reads $name" "$WORK/$name"
	done
}

main "$@"
