#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Interrupt work is charged to its beneficiary: to the reader of a disk, to the
# receiver of a datagram, to both ends of a connection, to the thread that armed the timer, dirtied the
# written pages or woke another CPU; and none of it to a busy bystander on whose
# time it ran. Arguments: one_cpu, threads, ksoftirqd, two_cpus, old_kernel, ipis
# (of the cases of two_cpus the cheapest), handshakes (on one and two CPUs),
# rcu_threads, memory, memory_two, old_two_cpus,
# alone arm64; the first five by default.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"

# Records the cases in a machine of their own and judges them.
cases() { # folder "machine's options" case...
	local options results=$WORK/$1
	read -rd '' -a options <<<"$2" || true
	shift 2
	mkdir "$results"
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" --timeout "$LIMIT_S" \
		--disk-size 32 "${options[@]}" --results "$results" -- \
		bash "$GUEST_ROOT/tests/e2e/interrupts_guest.sh" "$results" \
		"$GUEST_BUILD/ktrace-hw" \
		"$GUEST_BUILD/tests/e2e/programs/interrupts" "$@"
	python3 "$HERE/judge_interrupts.py" "$KTRACE" "$results" "$@" ||
		FAILURES=$((FAILURES + 1))
}

one_cpu() {
	cases one "--net --net-delay 1 --disk-delay 50" disk udp arp sleep work \
		writeback rcu nmi tcp loopback handshakes network rps
}

# Interrupt handlers of devices and RCU callbacks run in threads.
threads() {
	cases threads "--append threadirqs --append rcu_nocbs=0
		--append rcutree.enable_rcu_lazy=0 --disk-delay 50" \
		threads rcu reclaim
}

# Kernel threads and tasks make memory free, and its free pages adjacent.
memory() { cases memory "" reclaim compaction stalls; }

memory_two() { cases memory_two "--cpus 2" reclaim compaction stalls; }

# The threads that invoke the callbacks of both CPUs run on either.
rcu_threads() {
	cases rcu_threads "--cpus 2 --append rcu_nocbs=0-1
		--append rcutree.enable_rcu_lazy=0" rcu
}

# Soft interrupts run in ksoftirqd, those of devices in the threads of their
# interrupts.
ksoftirqd() {
	cases ksoftirqd "--append threadirqs --append rcutree.enable_rcu_lazy=0
		--net --net-delay 1" rcu network rps tcp
}

# Devices use wired interrupts, which several share: not even the kernel's
# tracepoints distinguish the interrupts of two network devices.
arm64() {
	use_arm64
	skip_without_machine 6.12
	make_programs
	cases arm64 "--disk-delay 50" disk sleep work rcu
}

two_cpus() {
	cases two "--cpus 2 --net --net-delay 1 --disk-delay 50" disk ipi udp \
		arp network rps rcu work loopback handshakes sleep writeback \
		tcp reclaim compaction
}

ipis() { cases ipis "--cpus 2" ipi; }

handshakes() {
	cases handshakes "--net" handshakes
	cases handshakes_two "--cpus 2 --net" handshakes
}

old_kernel() {
	skip_without_machine 6.1
	cases old "--kernel 6.1 --net --net-delay 1 --disk-delay 50" \
		disk udp sleep work
}

old_two_cpus() {
	skip_without_machine 6.1
	cases old_two "--kernel 6.1 --cpus 2 --net --net-delay 1" disk udp
}

main() {
	local asked=("$@") one
	((${#asked[@]})) || asked=(one_cpu threads ksoftirqd two_cpus old_kernel)
	need perf
	need python3
	skip_without_machine 6.12
	make_programs
	for one in "${asked[@]}"; do
		"$one"
	done
}

main "$@"
