#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's side of conformance_arm64.sh: makes the recordings of one boot.
#
#	conformance_arm64_guest.sh RESULTS NAME...
set -euo pipefail

readonly RESULTS=$1
shift
readonly WORK=/tmp/conformance
# shellcheck source=machine/tests/guest_perf.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_perf.sh"

record() { # name perf-record-option...
	local name=$1
	shift
	perf record --kcore -N -q -o "$WORK/$name" "$@" >"$WORK/output"
	cp "$WORK/vdso" "$WORK/$name/kcore_dir/vdso"
	cp -r "$WORK/$name" "$RESULTS/$name"
	rm -rf "${WORK:?}/$name"
}

run_one() { # name
	local self=${BASH_SOURCE[0]} times=timestamp,cycacc,contextid
	local -a work=(-- bash "$self" --work 1)
	case $1 in
	task) record "$1" -m,"$BUFFER" -e cs_etm//k "${work[@]}" ;;
	task-times)
		record "$1" -m,"$BUFFER" -e "cs_etm/$times,retstack/k" \
			"${work[@]}"
		;;
	task-cycacc)
		record "$1" -m,"$BUFFER" -e cs_etm/cycacc,cc_threshold=4/k \
			"${work[@]}"
		;;
	task-both)
		record "$1" -m,"$BUFFER" -e cs_etm/timestamp,contextid/ \
			"${work[@]}"
		;;
	task-user)
		record "$1" -m,"$BUFFER" -e cs_etm/retstack,timestamp,contextid/u \
			"${work[@]}"
		;;
	all)
		record "$1" -m,"$BUFFER" -a -e cs_etm/timestamp,contextid/ \
			"${work[@]}"
		;;
	all-times)
		record "$1" -m,"$BUFFER" -a -e "cs_etm/$times/k" "${work[@]}"
		;;
	filter)
		record "$1" -m,4M -e cs_etm//k --filter "filter $FILTER_RANGE" \
			"${work[@]}"
		;;
	small-buffer)
		record "$1" -m,1M -e cs_etm/timestamp,retstack/k "${work[@]}"
		;;
	large)
		record "$1" -m,128M -a -e cs_etm/timestamp,retstack/k -- \
			bash "$self" --work 10
		;;
	*)
		printf 'no recording is called %s\n' "$1" >&2
		return 2
		;;
	esac
}

if [[ $RESULTS == --work ]]; then
	mkdir -p "$WORK"
	work "$1" 4
	exit
fi
mkdir -p "$WORK"
FILTER_RANGE=$(function_range vfs_read)
readonly FILTER_RANGE
printf '%s\n' "$FILTER_RANGE" >"$RESULTS/filter-range"
make_perf_fast
copy_vdso "$WORK/vdso"
for name in "$@"; do
	run_one "$name"
done
