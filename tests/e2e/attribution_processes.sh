#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The time of processes whose time is known by construction, recorded in the
# virtual machine: `ktrace-hw report` has each nanosecond in one class, as many
# as the program made, and as many as the ground truth.  One line a case.
set -euo pipefail

HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
MACHINE=${MACHINE:-$ROOT/machine/host/machine}
PROGRAM=$ROOT/build/tests/e2e/programs/processes
CLASSES=$ROOT/build/machine/tests/tool_classes
WORK=$(mktemp -d)
FAILURES=0
trap 'rm -rf "$WORK"' EXIT

for need in python3 make; do
	command -v "$need" >/dev/null || {
		echo "skipped: no $need here"
		exit 0
	}
done
make -s -C "$ROOT" "${PROGRAM#"$ROOT"/}" "${CLASSES#"$ROOT"/}"

judge() { # recording checks...
	local name=$1
	shift
	"$KTRACE" report --threads --format=json -i "$WORK/$name/r" \
		>"$WORK/$name/json"
	python3 "$HERE/judge_processes.py" "$WORK/$name/json" "$@" |
		sed "s/^[^:]*:/& $name:/" | tee "$WORK/$name/verdict"
	if grep -q '^FAILED' "$WORK/$name/verdict"; then
		FAILURES=$((FAILURES + 1))
	fi
}

# Records the cases in a boot of its own, with the ground truth beside.
boot() { # name options... -- command...
	local name=$1 options=()
	shift
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	mkdir -p "$WORK/$name/truth"
	"$MACHINE" run --fast --truth "$WORK/$name/truth" \
		--results "$WORK/$name" "${options[@]}" -- "$@" >/dev/null
	"$CLASSES" "$WORK/$name/truth" "$WORK/$name/r" >"$WORK/$name/csv"
}

record_to() { # name
	echo "$KTRACE" record -o "$WORK/$1/r" --events=attribution --
}

one_cpu() {
	# shellcheck disable=SC2046
	boot one -- $(record_to one) "$PROGRAM" \
		sleeper hog caller faulter ping tree futex execer pipes
	judge one --exact --cases --truth "$WORK/one/csv" 100
	"$KTRACE" report --servers --format=json -i "$WORK/one/r" \
		>"$WORK/one/servers"
	judge one --servers "$WORK/one/servers"
}

two_cpus() {
	# shellcheck disable=SC2046
	boot two --cpus 2 -- $(record_to two) "$PROGRAM" sleeper caller ping tree
	judge two --exact --truth "$WORK/two/csv" 20000
}

old_kernel() {
	# shellcheck disable=SC2046
	boot old --kernel 6.1 -- $(record_to old) "$PROGRAM" \
		sleeper hog caller ping futex execer
	judge old --exact --cases --truth "$WORK/old/csv" 100
}

made_by_perf() {
	command -v perf >/dev/null || {
		echo "skipped: perf: there is none here"
		return
	}
	boot perf -- perf record --kcore -a -q -B -N -m 4M,16M \
		-o "$WORK/perf/r" -e intel_pt//k -e sched:sched_switch \
		-e sched:sched_waking -e sched:sched_wakeup_new \
		"$PROGRAM" sleeper caller ping
	judge perf --exact --cases --truth "$WORK/perf/csv" 100
}

# What a recording does not tell is not known, and said to be so.
narrower() {
	local text
	mkdir -p "$WORK/plain" "$WORK/cpu"
	"$MACHINE" run --fast --cpus 2 --results "$WORK" -- sh -c "
		'$KTRACE' record -o '$WORK/plain/r' -- '$PROGRAM' sleeper &&
		'$KTRACE' record -o '$WORK/cpu/r' -C 0 --events=sched \
			-- '$PROGRAM' sleeper" >/dev/null
	judge plain --sums --not-known
	judge cpu --sums
	text=$("$KTRACE" report -i "$WORK/plain/r")
	expect_line "plain: text says what would tell" "$text" \
		'Not known: asleep_ns: record with --events=sched or more'
	text=$("$KTRACE" report -i "$WORK/cpu/r")
	expect_line "cpu: text says why time is unknown" "$text" \
		'Time off the CPU is unknown: other CPUs'
}

expect_line() { # case text beginning-of-a-line
	if grep -q "^$3" <<<"$2"; then
		echo "ok: $1"
	else
		echo "FAILED: $1: no line '$3'"
		FAILURES=$((FAILURES + 1))
	fi
}

if (($# == 0)); then
	set -- one_cpu two_cpus old_kernel made_by_perf narrower
fi
for part; do
	"$part"
done
((FAILURES == 0))
