#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Interrupt work goes to whom it was for: to the reader of a disk, to the
# receiver of a datagram, to who armed the timer, queued the work, woke
# another CPU; and none of it to a busy bystander on whose time it was.
# attribution_interrupts.sh full: also two CPUs and kernel 6.1.
set -euo pipefail

HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
MACHINE=${MACHINE:-$ROOT/machine/host/machine}
PROGRAM=$ROOT/build/tests/e2e/programs/interrupts
FAILURES=0

# Records the cases in a machine of its own and judges them.
cases() { # "machine's options" case...
	local options results
	read -ra options <<<"$1"
	shift
	results=$(mktemp -d "$WORK/XXXXXX")
	"$MACHINE" run --fast --timeout 900 --disk-size 32 "${options[@]}" \
		--results "$results" -- bash "$HERE/interrupts_guest.sh" \
		"$results" "$KTRACE" "$PROGRAM" "$@"
	python3 "$HERE/judge_interrupts.py" "$KTRACE" "$results" "$@" ||
		FAILURES=$((FAILURES + 1))
	rm -rf "$results"
}

need() { # program
	command -v "$1" >/dev/null || {
		echo "skipped: no $1 here"
		exit 0
	}
}

main() {
	need perf
	need python3
	[[ -x $MACHINE ]] || { echo "skipped: no virtual machine" && exit 0; }
	make -s -C "$ROOT" e2e-programs
	WORK=$(mktemp -d)
	trap 'rm -rf "$WORK"' EXIT
	cases "--net --net-delay 1 --disk-delay 5" disk udp sleep work
	if [[ ${1:-} == full ]]; then
		cases "--cpus 2" disk ipi
		cases "--kernel 6.1 --net --net-delay 1 --disk-delay 5" \
			disk udp sleep work
	fi
	[[ $FAILURES == 0 ]]
}

main "$@"
