#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares recordings made by stock perf in the machine with the ground truth.
#
#	conformance.sh [--kaslr] [--cpu=+la57] [KERNEL [CPUS [RECORDING...]]]
#
# Defaults to kernel 6.12 with one CPU, and all recordings of
# conformance_guest.sh except "large".  Recordings that libipt decodes are made
# in one boot, recordings that are compared by their packets in another.  Prints
# a line per recording and CPU; exits 1 if any differs from the truth.
# The options are the machine's. KEEP=DIR stores the recordings in DIR.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

readonly TOOLS=${KTRACE_MACHINE_BUILD:-$HERE/../../build/machine}/tests
readonly ONE_CPU=(task-cyc task-default task-user task-both all-cyc
	all-default noretcomp psb filter events events-kernel events-user no-tnt)
readonly SEVERAL_CPUS=(task-cyc all-cyc all-default events events-kernel no-tnt)

MACHINE_OPTIONS=()

# Without this, perf would not find the guest's vdso by its build ID and would
# use this system's vdso, which is another kernel's.
keep_vdso_for_perf() { # dir
	local id
	id=$(readelf -n "$1/vdso" | sed -n 's/.*Build ID: //p')
	mkdir -p "$1/ids/.build-id/${id:0:2}" "$1/ids/[vdso]/$id"
	cp "$1/vdso" "$1/ids/[vdso]/$id/vdso"
	ln -s "../../[vdso]/$id" "$1/ids/.build-id/${id:0:2}/${id:2}"
}

# Checks that perf decodes the recording without error, and as many instructions
# as libipt.
check_perf() { # dir recording
	local counted seen errors
	counted=$(awk -v name="$1/$2" '$1 == name {
			for (i = 2; i < NF; i++)
				if ($i == "instructions")
					sum += $(i + 1)
		} END { print sum + 0 }' "$1/libipt")
	read -r seen errors < <(
		perf --buildid-dir "$1/ids" script -i "$1/$2" \
			--itrace=ei1000i -F ip 2>&1 |
			awk '/^ *[0-9a-f]+$/ { seen += 1000; next }
			     /error/ { errors = errors "; " $0 }
			     END { print seen + 0, substr(errors, 1, 500) }')
	if [[ -n $errors ]]; then
		fail "$2: perf: $errors"
	elif ((seen < counted - counted / 100 - 5000 || seen > counted)); then
		fail "$2: perf has $seen instructions, libipt $counted"
	else
		printf '%s perf: errors 0, instructions %d\n' "$1/$2" "$seen"
	fi
}

# Checks one boot: all of its recordings and all of its truth.
check_boot() { # flows|transfers kernel cpus recording...
	local check=check_$1 kernel=$2 cpus=$3 dir=$WORK/$2-$3-$1
	local -a start=()
	shift 3
	mkdir -p "$dir"
	# With the host's clock, a resumed machine would use a clock speed that
	# the guest measured earlier.
	((cpus > 1)) || start=(--fast)
	# Small recordings fit into the machine whose saved state most tests
	# share.
	[[ $cpus == 1 && -z ${KTRACE_FULL:-} && " $* " != *" large "* ]] ||
		start+=(--memory 3072)
	if ! "$MACHINE" run --discard "${start[@]}" "${MACHINE_OPTIONS[@]}" --kernel "$kernel" --cpus "$cpus" \
		--results "$dir" --truth "$dir" --timeout "${TIMEOUT_S:-1200}" \
		-- bash "$HERE/conformance_guest.sh" "$dir" "$@"; then
		fail "kernel $kernel, $cpus CPUs: the machine failed"
		return
	fi
	check_exactness "$dir" "$cpus"
	keep_vdso_for_perf "$dir"
	"$check" "$dir" "$cpus" "$@"
}

# Compares branch by branch, as decoded by libipt and perf.
check_flows() { # dir cpus recording...
	local dir=$1 name
	local -a options=(--time-p99 500)
	(($2 == 1)) || options=(--slack 200000)
	shift 2
	"$TOOLS/tool_conformance" --truth "$dir" --vdso "$dir/vdso" \
		"${options[@]}" "${@/#/$dir/}" >"$dir/libipt" ||
		fail "$dir: not as the truth"
	cat "$dir/libipt"
	for name in "$@"; do
		check_perf "$dir" "$name"
	done
}

# Compares recordings with Event Trace, which Debian's libipt does not know, or
# without TNT packets, packet by packet; perf must find no error.
check_transfers() { # dir cpus recording...
	local dir=$1 name errors slack=2000
	(($2 == 1)) || slack=200000
	shift 2
	"$TOOLS/tool_transfers" --truth "$dir" --slack "$slack" \
		"${@/#/$dir/}" || fail "$dir: transfers are not as the truth"
	for name in "$@"; do
		errors=$(perf --buildid-dir "$dir/ids" script -i "$dir/$name" \
			--itrace=e 2>&1 | head -n 3)
		[[ -z $errors ]] || fail "$name: perf: $errors"
	done
}

check_all() { # kernel cpus recording...
	local -a boot=("$1" "$2") flows=() transfers=()
	local name
	for name in "${@:3}"; do
		case $name in
		events* | no-tnt) transfers+=("$name") ;;
		*) flows+=("$name") ;;
		esac
	done
	((${#flows[@]} == 0)) || check_boot flows "${boot[@]}" "${flows[@]}"
	((${#transfers[@]} == 0)) ||
		check_boot transfers "${boot[@]}" "${transfers[@]}"
}

main() {
	while [[ ${1:-} == --* ]]; do
		MACHINE_OPTIONS+=("$1")
		shift
	done
	local kernel=${1:-6.12} cpus=${2:-1}
	shift $(($# < 2 ? $# : 2))
	skip_without_machine "$kernel"
	if (($# == 0)); then
		set -- "${ONE_CPU[@]}"
		((cpus == 1)) || set -- "${SEVERAL_CPUS[@]}"
	fi
	check_all "$kernel" "$cpus" "$@"
	[[ -z ${KEEP:-} ]] || cp -r "$WORK/." "$KEEP"
	((FAILURES == 0))
}

main "$@"
