#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests the isolated machine with the deterministic clock: two runs are equal to
# the nanosecond, and results are copied back.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12
mkdir "$WORK/results"

isolated() {
	capture "$MACHINE" run --isolated --timeout "$LIMIT_S" \
		--include /bin/cat --include /bin/dmesg --include /bin/ls \
		--include /bin/sleep --include /bin/mkdir --results "$WORK/results" -- "$@"
}

# shellcheck disable=SC2016 # the guest's shell expands them
# Times, random numbers, addresses: all that could differ.
readonly LOOK='
	cat /proc/uptime /proc/stat /proc/interrupts /proc/sys/kernel/random/uuid
	cat /proc/self/maps /proc/self/sched; sleep 0.01
	dmesg; ls -l --time-style=full-iso /proc/self/; cat /proc/schedstat
	echo in the file >"$0/file"; mkdir "$0/folder"; echo x >"$0/folder/y"
	exit 5'

isolated bash -c "$LOOK" "$WORK/results"
FIRST=$OUT
expect "isolated: exit code" 5 "$CODE"
expect "isolated: a result" "in the file" "$(cat "$WORK/results/file")"
expect "isolated: a result in a folder" x "$(cat "$WORK/results/folder/y")"
rm -r "${WORK:?}"/results/*
isolated bash -c "$LOOK" "$WORK/results"
expect "isolated: has much to compare" yes \
	"$( ((${#FIRST} > 20000)) && echo yes)"
if [[ $OUT == "$FIRST" ]]; then
	ok "isolated: two runs are the same"
else
	diff <(printf '%s' "$FIRST") <(printf '%s' "$OUT") | head -n 20 || true
	not_ok "isolated: two runs are the same" "see above"
fi
isolated no-such-command
expect_failure "isolated: command not there" 127 'no-such-command'
