#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the speed of dump --blocks with OpenCSD's own lister on the same
# snapshot: each prints the executed instruction ranges, one a line. Compares
# report --flat of the recording with the lister, too.
#
#	speed_coresight.sh [RECORDING...]	of one CPU, kernel only; default:
#						one made now, in the arm64
#						virtual machine
#
# RUNS (5) pairs of each.
set -euo pipefail
# shellcheck source=tests/bench/pairs.sh
source "$(dirname "${BASH_SOURCE[0]}")/pairs.sh"
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}

make_recording() {
	[[ -x $ROOT/build-arm64/ktrace-hw ]] || {
		echo "skipped: no program for arm64:" \
			"scripts/arm64_sysroot.sh, make ARCH=arm64"
		exit 0
	}
	# shellcheck disable=SC2016 # for the shell that is recorded
	"$ROOT/machine/host/machine" run --arch arm64 --fast \
		--results "$WORK" -- "/host$ROOT/build-arm64/ktrace-hw" record \
		-o "$WORK/kernel" -- sh -c '
			for i in 1 2 3 4 5 6 7 8; do
				ls -lR /etc | sort | wc -l
			done' >/dev/null
}

main() {
	local recording snapshot
	skip_without trc_pkt_lister time taskset python3
	if [[ $# == 0 ]]; then
		make_recording
		set -- "$WORK/kernel"
	fi
	for recording; do
		snapshot=$WORK/$(basename "$recording").snapshot
		python3 "$HERE/snapshot_of.py" "$recording" "$snapshot"
		# shellcheck disable=SC2034 # compare() reads them
		PEER=(trc_pkt_lister -ss_dir "$snapshot" -decode_only
			-logfilename /dev/null)
		# shellcheck disable=SC2034
		OURS=("$KTRACE" dump --blocks -i "$snapshot")
		compare "$(basename "$recording")" \
			"$(stat -c %s "$snapshot/trace.bin")" \
			"OpenCSD's trc_pkt_lister"
		# shellcheck disable=SC2034
		OURS=("$KTRACE" report --flat --jobs 1 -i "$recording")
		compare "report --flat, wanted: 10" \
			"$(stat -c %s "$snapshot/trace.bin")" \
			"OpenCSD's trc_pkt_lister"
	done
}

main "$@"
