#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings made by stock perf in the machine, against the ground truth.
#
#	conformance.sh [smoke|all|full] [RECORDING...]
#
# smoke: one configuration on kernel 6.1.  all: every one on 6.12, one CPU.
# full: all, two CPUs, and one of 60 MB.  A line per configuration and CPU; exits 1 if
# any differs from the truth, 2 if the machine cannot run.
# KEEP=DIR keeps what was recorded in DIR.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

readonly TOOL=${KTRACE_MACHINE_BUILD:-$HERE/../../build/machine}/tests/tool_conformance
readonly ONE_CPU=(task-cyc task-default task-user task-both all-cyc
	all-default noretcomp psb filter)
readonly TWO_CPUS=(task-cyc all-cyc all-default)

fail() {
	printf 'FAIL: %s\n' "$*"
	FAILURES=$((FAILURES + 1))
}

# perf decodes it without error.  Not asked where user code is traced: perf
# takes this system's own vdso for the guest's, which is another kernel's, and
# stumbles in it.
check_perf() { # recording
	local errors
	case ${1##*/} in
	task-user | task-both | all-default) return ;;
	esac
	errors=$(perf script -i "$1" --itrace=e 2>&1 | head -n 3) || true
	if [[ $errors == *error* ]]; then
		fail "$1: perf: $errors"
	else
		printf '%s perf: errors 0\n' "$1"
	fi
}

# One boot: all of its recordings and all of its truth.
check_boot() { # kernel cpus recording...
	local kernel=$1 cpus=$2 dir=$WORK/$1-$2
	local -a options=(--truth "$dir" --vdso "$dir/vdso")
	shift 2
	mkdir -p "$dir"
	if ! "$MACHINE" run --kernel "$kernel" --cpus "$cpus" \
		--memory 3072 --results "$dir" --truth "$dir" --timeout "${TIMEOUT_S:-1200}" \
		-- bash "$HERE/conformance_guest.sh" "$dir" "$@"; then
		fail "kernel $kernel, $cpus CPUs: the machine failed"
		return
	fi
	((cpus == 1)) || options+=(--slack 200000)
	check_exactness "$dir" "$cpus"
	"$TOOL" "${options[@]}" "${@/#/$dir/}" ||
		fail "kernel $kernel, $cpus CPUs: not as the truth"
	for name in "$@"; do
		check_perf "$dir/$name"
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
	local level=${1:-all}
	shift || true
	case $level in
	smoke)
		skip_without_machine 6.1
		check_boot 6.1 1 "${@:-task-cyc}"
		;;
	all | full)
		skip_without_machine 6.12
		check_boot 6.12 1 "${@:-${ONE_CPU[@]}}"
		if [[ $level == full ]]; then
			check_boot 6.12 2 "${@:-${TWO_CPUS[@]}}"
			check_boot 6.12 1 large
		fi
		;;
	*)
		printf 'usage: conformance.sh [smoke|all|full] [RECORDING...]\n'
		return 2
		;;
	esac
	[[ -z ${KEEP:-} ]] || cp -r "$WORK/." "$KEEP"
	((FAILURES == 0))
}

main "$@"
