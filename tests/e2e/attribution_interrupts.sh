#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Interrupt work goes to whom it was for: to the reader of a disk, to the
# receiver of a datagram, to who armed the timer, queued the work, woke
# another CPU; and none of it to a busy bystander on whose time it was.
# What is asked for: one_cpu, threads, two_cpus, old_kernel; all of them if
# nothing is.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
PROGRAM=$ROOT/build/tests/e2e/programs/interrupts

# Records the cases in a machine of its own and judges them.
cases() { # folder "machine's options" case...
	local options results=$WORK/$1
	read -ra options <<<"$2"
	shift 2
	mkdir "$results"
	"$MACHINE" run --fast --timeout "$LIMIT_S" --disk-size 32 "${options[@]}" \
		--results "$results" -- bash "$HERE/interrupts_guest.sh" \
		"$results" "$KTRACE" "$PROGRAM" "$@"
	python3 "$HERE/judge_interrupts.py" "$KTRACE" "$results" "$@" ||
		FAILURES=$((FAILURES + 1))
}

one_cpu() {
	cases one "--net --net-delay 1 --disk-delay 5" disk udp sleep work \
		rcu nmi
}

# Handlers of devices run in threads.
threads() {
	cases threads "--append threadirqs --disk-delay 5" threads
}

two_cpus() { cases two "--cpus 2" disk ipi; }

old_kernel() {
	skip_without_machine 6.1
	cases old "--kernel 6.1 --net --net-delay 1 --disk-delay 5" \
		disk udp sleep work
}

main() {
	local asked=("$@") one
	((${#asked[@]})) || asked=(one_cpu threads two_cpus old_kernel)
	need perf
	need python3
	skip_without_machine 6.12
	make -s -C "$ROOT" e2e-programs >/dev/null
	for one in "${asked[@]}"; do
		"$one"
	done
}

main "$@"
