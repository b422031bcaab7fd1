#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings made by stock perf in the machine, against the ground truth.
#
#	conformance.sh [KERNEL [CPUS [RECORDING...]]]
#
# One boot: without arguments of kernel 6.12 with one CPU, and each recording
# that conformance_guest.sh knows but "large".  A line per recording and CPU;
# exits 1 if any differs from the truth.
# KEEP=DIR keeps what was recorded in DIR.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

readonly TOOL=${KTRACE_MACHINE_BUILD:-$HERE/../../build/machine}/tests/tool_conformance
readonly ONE_CPU=(task-cyc task-default task-user task-both all-cyc
	all-default noretcomp psb filter)
readonly SEVERAL_CPUS=(task-cyc all-cyc all-default)

fail() {
	printf 'FAIL: %s\n' "$*"
	FAILURES=$((FAILURES + 1))
}

# perf would take this system's own vdso for the guest's, which is another
# kernel's, if it did not find the guest's by its build ID.
keep_vdso_for_perf() { # dir
	local id
	id=$(readelf -n "$1/vdso" | sed -n 's/.*Build ID: //p')
	mkdir -p "$1/ids/.build-id/${id:0:2}" "$1/ids/[vdso]/$id"
	cp "$1/vdso" "$1/ids/[vdso]/$id/vdso"
	ln -s "../../[vdso]/$id" "$1/ids/.build-id/${id:0:2}/${id:2}"
}

# perf decodes it without error, and as many instructions as libipt did.
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

# One boot: all of its recordings and all of its truth.
check_boot() { # kernel cpus recording...
	local kernel=$1 cpus=$2 dir=$WORK/$1-$2 name
	local -a options=(--truth "$dir" --vdso "$dir/vdso")
	shift 2
	mkdir -p "$dir"
	if ! "$MACHINE" run --kernel "$kernel" --cpus "$cpus" \
		--memory 3072 --results "$dir" --truth "$dir" --timeout "${TIMEOUT_S:-1200}" \
		-- bash "$HERE/conformance_guest.sh" "$dir" "$@"; then
		fail "kernel $kernel, $cpus CPUs: the machine failed"
		return
	fi
	if ((cpus == 1)); then
		options+=(--time-p99 500)
	else
		options+=(--slack 200000)
	fi
	check_exactness "$dir" "$cpus"
	"$TOOL" "${options[@]}" "${@/#/$dir/}" >"$dir/libipt" ||
		fail "kernel $kernel, $cpus CPUs: not as the truth"
	cat "$dir/libipt"
	keep_vdso_for_perf "$dir"
	for name in "$@"; do
		check_perf "$dir" "$name"
	done
}

# On the deterministic machine the truth's clock is exact: it never had to be
# corrected at an rdtsc.
check_exactness() { # dir cpus
	cat "$1/summary"
	if grep -qv ' lost-track 0$' "$1/summary"; then
		fail "$1: the truth lost track"
	fi
	if (($2 == 1)) && ! grep -q ' corrections 0 ' "$1/summary"; then
		fail "$1: the truth's clock is not exact"
	fi
}

main() {
	local kernel=${1:-6.12} cpus=${2:-1}
	shift $(($# < 2 ? $# : 2))
	skip_without_machine "$kernel"
	if ((cpus == 1)); then
		check_boot "$kernel" 1 "${@:-${ONE_CPU[@]}}"
	else
		check_boot "$kernel" "$cpus" "${@:-${SEVERAL_CPUS[@]}}"
	fi
	[[ -z ${KEEP:-} ]] || cp -r "$WORK/." "$KEEP"
	((FAILURES == 0))
}

main "$@"
