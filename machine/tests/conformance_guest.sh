#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's side of conformance.sh: makes the recordings of one boot.
#
#	conformance_guest.sh RESULTS NAME...
#	conformance_guest.sh RESULTS --program FILE
set -euo pipefail

readonly RESULTS=$1 WORK=/tmp/conformance
shift
# shellcheck source=machine/tests/guest_perf.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_perf.sh"

# The vdso's build ID lets perf on the host find the guest's vdso.
record() { # name perf-record-option...
	perf record --kcore --buildid-all -N -q -o "$WORK/$1" "${@:2}"
	save_recording "$1"
}

run_one() { # name
	local self=${BASH_SOURCE[0]} event=intel_pt/cyc=1/k
	local -a work=(-- bash "$self" --work 1)
	case $1 in
	task-cyc) record "$1" -m,"$BUFFER" -e $event "${work[@]}" ;;
	task-default) record "$1" -m,"$BUFFER" -e intel_pt//k "${work[@]}" ;;
	task-user) record "$1" -m,"$BUFFER" -e intel_pt/cyc=1/u "${work[@]}" ;;
	task-both) record "$1" -m,"$BUFFER" -e intel_pt/cyc=1/ "${work[@]}" ;;
	all-cyc) record "$1" -m,"$BUFFER" -a -e $event "${work[@]}" ;;
	all-default) record "$1" -m,"$BUFFER" -a -e intel_pt// "${work[@]}" ;;
	noretcomp)
		record "$1" -m,"$BUFFER" -e intel_pt/cyc=1,noretcomp=1/k "${work[@]}"
		;;
	psb)
		record "$1" -m,"$BUFFER" -e intel_pt/cyc=1,psb_period=0/k \
			"${work[@]}"
		;;
	filter)
		record "$1" -m,4M -e $event \
			--filter "filter $FILTER_RANGE" "${work[@]}"
		;;
	events)
		record "$1" -m,"$BUFFER" -a \
			-e intel_pt/event=1,pwr_evt=1,cyc=1,noretcomp=1/ "${work[@]}"
		;;
	events-kernel)
		record "$1" -m,"$BUFFER" -a \
			-e intel_pt/event=1,pwr_evt=1,noretcomp=1/k "${work[@]}"
		;;
	events-user)
		record "$1" -m,"$BUFFER" \
			-e intel_pt/event=1,noretcomp=1/u "${work[@]}"
		;;
	no-tnt)
		record "$1" -m,"$BUFFER" \
			-e intel_pt/notnt=1,noretcomp=1/k "${work[@]}"
		;;
	large)
		record "$1" -m,128M -a -e $event -- bash "$self" --work 28
		;;
	*)
		printf 'no recording is called %s\n' "$1" >&2
		return 2
		;;
	esac
}

# test_truth_exec_log.sh switches QEMU's log on and off around the program.
run_when_told() { # program dir
	touch "$2/ready"
	until [[ -e $2/go ]]; do
		sleep 0.05
	done
	"$1" || true
	touch "$2/done"
}

if [[ $RESULTS == --when-told ]]; then
	run_when_told "$@"
	exit
fi
if [[ $RESULTS == --work ]]; then
	work "$1" 16
	exit
fi
mkdir -p "$WORK"
FILTER_RANGE=$(function_range vfs_read)
readonly FILTER_RANGE
make_perf_fast
if [[ $1 == --program ]]; then
	record recording -m,4M -e intel_pt//u -- bash "${BASH_SOURCE[0]}" \
		--when-told "$2" "$RESULTS"
	exit
fi
copy_vdso "$RESULTS/vdso"
for name in "$@"; do
	run_one "$name"
done
