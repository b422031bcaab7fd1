#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How fast report --flat is, against perf script on the same recording.
#
#	speed.sh [RECORDING...]		default: recordings made now, in the
#					virtual machine
#
# RUNS (5) pairs of each.
set -euo pipefail
# shellcheck source=tests/bench/pairs.sh
source "$(dirname "${BASH_SOURCE[0]}")/pairs.sh"
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}

trace_bytes() { # recording
	"$KTRACE" report --format=json -i "$1" |
		sed -n 's/^"recording":.*"trace":\([0-9]*\).*/\1/p'
}

make_recordings() {
	"$ROOT/machine/host/machine" run --fast --results "$WORK" -- \
		bash "$HERE/speed_guest.sh" "$WORK" "$KTRACE"
}

main() {
	local recording
	skip_without perf time taskset
	if [[ $# == 0 ]]; then
		make_recordings
		set -- "$WORK"/kernel "$WORK"/modules "$WORK"/user
	fi
	for recording; do
		# shellcheck disable=SC2034 # compare() reads them
		PEER=(perf script --itrace=cr -F "time,ip,sym,addr,flags"
			-i "$recording")
		# shellcheck disable=SC2034
		OURS=("$KTRACE" report --flat -i "$recording")
		compare "$(basename "$recording")" \
			"$(trace_bytes "$recording")" "perf script"
	done
}

main "$@"
