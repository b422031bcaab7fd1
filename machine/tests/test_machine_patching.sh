#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that a kernel survives patching itself constantly on one of two CPUs.
# Without stale_code_check() it panicked in three of four runs of 60 rounds.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12
readonly ROUNDS=60

# Each kind of events has its static keys, whose code is patched when they are
# switched on and off.
# shellcheck disable=SC2016 # the guest's shell expands them
readonly PATCH='
	mount -t tracefs none /sys/kernel/tracing
	cd /sys/kernel/tracing/events
	while :; do taskset 2 ls -lR /etc/apt /proc/self /sys/class; done \
		>/dev/null 2>&1 &
	taskset -p 1 $$ >/dev/null
	for ((round = 0; round < $0; round++)); do
		for on in 1 0; do
			for kind in timer sched irq raw_syscalls kmem; do
				echo "$on" >"$kind/enable"
			done
		done
	done
	kill $!
	echo "$round rounds"'

capture "$MACHINE" run --discard --cpus 2 --timeout "$LIMIT_S" -- \
	bash -c "$PATCH" "$ROUNDS"
expect "patching: exit code" 0 "$CODE"
expect "patching: all of it" "$ROUNDS rounds" "$OUT"
