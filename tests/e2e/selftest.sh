#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ktrace-hw selftest passes in the virtual machine, where every recording equals
# the ground truth, finds each fault that is planted in the trace unit, and
# passes with each ability of the unit taken away.
#
#	selftest.sh [--arm64] [KERNEL [CPUS [CASE...]]]
#
# A CASE is "whole", a fault (machine/intel_pt/fault.c), or without-ABILITY
# (machine/intel_pt/cpuid.c).
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_arm64 "$@"
shift "$IS_ARM64"
KERNEL=${1:-6.12}
CPUS=${2:-1}
FAULTS=(tnt-lost tnt-wrong fast-clock psb-lost cyc-wrong ip-off ovf-lost
	return-wrong fup-lost mtc-wrong bytes-zero)
ABILITIES=(mtc mtc-periods short-mtc-periods cyc psb-periods filters
	many-regions tsc-ratio)

selftest() { # folder machine-option... -- option...
	local results=$WORK/$1
	local -a options=()
	shift
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	mkdir "$results"
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" \
		--kernel "$KERNEL" --cpus "$CPUS" --timeout "$LIMIT_S" \
		"${options[@]}" --results "$results" -- \
		bash "$GUEST_ROOT/tests/e2e/selftest_guest.sh" "$results" \
		"$GUEST_BUILD/ktrace-hw" "${@:2}"
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
		"$(grep -oF -e "$HOME" -e "$(uname -n)" -e "$ROOT" "$text" |
			head -n 1)"
}

judge_passed() { # folder passes
	expect "$1: exit code" 0 "$(<"$WORK/$1/selftest.code")"
	expect "$1: nothing fails" "" "$(verdicts "$1" FAIL)"
	expect_that "$1: checks that pass" \
		"$(verdicts "$1" pass | wc -l)" -ge "$2"
}

whole() {
	selftest whole -- --hotplug
	judge_passed whole 15
	judge_report whole
}

without() { # ability
	selftest "without-$1" --unit "without=$1" -- --trial calls,user,filter
	judge_passed "without-$1" 8
}

# Losses alone are marked in the trace, so the system calls may be fewer.
fault() { # name
	local -a options=(--unit "fault=$1")
	[[ $1 != ovf-lost ]] || options+=(--loss 20000)
	selftest "$1" "${options[@]}" -- --trial calls
	expect "$1: exit code" 1 "$(<"$WORK/$1/selftest.code")"
	expect_that "$1 is found" -n "$(verdicts "$1" FAIL)"
	verdicts "$1" FAIL | sed "s/^/  $1: /"
}

main() {
	local one
	skip_without_machine "$KERNEL"
	for one in "${@:3}"; do
		case $one in
		whole) whole ;;
		faults) for fault in "${FAULTS[@]}"; do fault "$fault"; done ;;
		abilities) for ability in "${ABILITIES[@]}"; do without "$ability"; done ;;
		without-*) without "${one#without-}" ;;
		*) fault "$one" ;;
		esac
	done
}

(($# > 2)) || set -- "$KERNEL" "$CPUS" whole
main "$@"
