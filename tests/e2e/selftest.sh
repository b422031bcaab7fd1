#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ktrace-hw selftest passes in the virtual machine, where every recording equals
# the ground truth, finds each fault that is planted in the trace unit, and
# passes with each ability of the unit taken away. Most recordings are checked
# on the host.
#
#	selftest.sh [--arm64] [KERNEL [CPUS [CASE...]]]
#
# A CASE is "whole", "here" (the same, checked on the host), a fault (machine/intel_pt/fault.c, machine/arm_ete/fault.c),
# without-ABILITY (machine/intel_pt/cpuid.c, machine/arm_ete/registers.c), or
# "faults" or "abilities": all of them.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
readonly JUDGE=$KTRACE
take_arm64 "$@"
shift "$IS_ARM64"
KERNEL=${1:-6.12}
CPUS=${2:-1}
FAULTS=(tnt-lost tnt-wrong fast-clock psb-lost cyc-wrong ip-off ovf-lost
	return-wrong fup-lost mtc-wrong bytes-zero)
ABILITIES=(mtc mtc-periods short-mtc-periods cyc psb-periods filters
	many-regions tsc-ratio)
if ((IS_ARM64)); then
	FAULTS=(atom-lost atom-wrong fast-clock time-wrong sync-lost
		cycles-wrong address-off overflow-lost return-wrong
		exception-lost bytes-zero)
	ABILITIES=(cycles return-stack timestamps context-id filters)
fi
# The recordings that are made without an ability.
TRIALS=calls,user,filter
SYMFS=()
if ((IS_ARM64)); then
	TRIALS+=,cycles,returns
	SYMFS=(--symfs "$WORK/symfs")
fi

# The checks in an emulated arm64 machine take 150 s of CPU, half of them in
# OpenCSD: a busy host may need ten times as long.
selftest() { # folder machine-option... -- option...
	local results=$WORK/$1
	divide "${@:2}"
	mkdir "$results"
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" \
		--kernel "$KERNEL" --cpus "$CPUS" --timeout "$((2 * LIMIT_S))" \
		"${OPTIONS[@]}" --results "$results" -- \
		bash "$GUEST_ROOT/tests/e2e/selftest_guest.sh" "$results" \
		"$GUEST_BUILD/ktrace-hw" "${REST[@]}"
}

# Records in the machine, and judges here, which is much faster.
selftest_here() { # folder machine-option... -- trials
	local results=$WORK/$1 trials=${*: -1} code=0
	selftest "${@:1:$#-1}" --trial "$trials" --record-only -o recordings
	expect "$1: recorded" 0 "$(<"$results/selftest.code")"
	"$JUDGE" selftest --judge "$results/recordings" --trial "$trials" \
		"${SYMFS[@]}" >"$results/selftest.out" 2>"$results/selftest.err" || code=$?
	echo "$code" >"$results/selftest.code"
}

verdicts() { # folder verdict
	grep -E "^.{18} $2 " "$WORK/$1/selftest.out" || true
}

# The report has neither addresses nor names of this computer.
judge_report() { # folder
	local text=$WORK/$1.text
	tar --zstd -xOf "$WORK/$1/report.tar.zst" >"$text"
	expect_that "$1: the report has the table and the machine" -n \
		"$(grep -c '^clock ' "$text" && grep -c '^kernel: ' "$text")"
	expect "$1: the report has no addresses" "" \
		"$(grep -oE '\bffff[0-9a-f]{12}\b' "$text" | head -n 1)"
	expect "$1: the report has no names" "" \
		"$(grep -owF -e "$HOME" -e "$(uname -n)" -e "$ROOT" "$text" |
			head -n 1)"
}

judge_passed() { # folder passes
	expect "$1: exit code" 0 "$(<"$WORK/$1/selftest.code")"
	expect "$1: nothing fails" "" "$(verdicts "$1" FAIL)"
	expect_that "$1: checks that pass" \
		"$(verdicts "$1" pass | wc -l)" -ge "$2"
}

# All recordings, which the machine itself checks: as a user runs it.
whole() {
	selftest whole -- --hotplug
	judge_passed whole 15
	judge_report whole
	((!IS_ARM64)) || expect_that "doctor: warns of deep idle" -n \
		"$(grep pm_save_enable=2 "$WORK/whole/doctor.out")"
}

here() {
	selftest_here all -- --hotplug \
		calls,user,cycles,returns,cpus,load,snapshot,filter,only,trigger,attach,hotplug
	judge_passed all 14
}

without() { # ability
	selftest_here "without-$1" --unit "without=$1" -- "$TRIALS"
	judge_passed "without-$1" 8
}

# Losses alone are marked in the trace, so the system calls may be fewer.
fault() { # name
	local trial=calls
	local -a options=(--unit "fault=$1")
	case $1 in
	ovf-lost | overflow-lost) options+=(--loss 20000) ;;
	cycles-wrong) trial=cycles ;;
	return-wrong) ((!IS_ARM64)) || trial=returns ;;
	esac
	selftest_here "$1" "${options[@]}" -- "$trial"
	expect "$1: exit code" 1 "$(<"$WORK/$1/selftest.code")"
	expect_that "$1 is found" -n "$(verdicts "$1" FAIL)"
	verdicts "$1" FAIL | sed "s/^/  $1: /"
}

main() {
	local one
	skip_without_machine "$KERNEL"
	for one in "${@:3}"; do
		case $one in
		whole | here) "$one" ;;
		faults) for fault in "${FAULTS[@]}"; do fault "$fault"; done ;;
		abilities) for ability in "${ABILITIES[@]}"; do without "$ability"; done ;;
		without-*) without "${one#without-}" ;;
		*) fault "$one" ;;
		esac
	done
}

(($# > 2)) || set -- "$KERNEL" "$CPUS" here
main "$@"
