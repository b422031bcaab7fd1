#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Code that no record of the kernel announces: classic BPF filters that are loaded
# while it is recorded, and the dynamic thunks of 7.3's ITS mitigation.
#
#	classic_bpf.sh [KERNEL [--append ARGUMENT]...]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12}
APPEND=("${@:2}")

expect() { # case pattern count file
	local count
	count=$(grep -cE -- "$2" "$4" || true)
	if [[ $count == "$3" ]]; then
		ok "$1"
	else
		not_ok "$1" "$count lines with '$2', not $3"
	fi
}

# perf does not choose code by time: of filters that were at the same addresses one
# after the other it gets none, so that it does not decode one by another's code.
expect_no_reused_code() {
	local reused
	reused=$(python3 "$HERE/reused_code.py" "$WORK/r/bpf")
	if [[ $reused == "some reused, 0 known to perf" ]]; then
		ok "perf does not get code of reused addresses"
	else
		not_ok "perf does not get code of reused addresses" "$reused"
	fi
}

# A run of code that perf does not have is an error, after which it continues at a
# later packet.
expect_perf_decodes() {
	command -v perf >/dev/null || return 0
	if perf script --itrace=e -i "$WORK/r/bpf" >"$WORK/perf" 2>&1; then
		expect_that "perf decodes the filters" "$(grep -c \
			'instruction trace error type' "$WORK/perf")" -le 6
	else
		not_ok "perf decodes the filters" "$(tail -n 3 "$WORK/perf")"
	fi
}

main() {
	prepare_machine python3
	mkdir "$WORK/r"
	"$MACHINE" run --discard --fast --kernel "$KERNEL" "${APPEND[@]}" \
		--timeout "$LIMIT_S" --late-results --results "$WORK/r" -- sh -ec "
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/bpf' \
			--events=attribution,syscalls -- \
			'$GUEST_BUILD/tests/e2e/programs/classic_bpf'"
	"$KTRACE" timeline -i "$WORK/r/bpf" >"$WORK/timeline"
	"$KTRACE" timeline -i "$WORK/r/bpf" --syscalls >"$WORK/calls"
	"$KTRACE" report -i "$WORK/r/bpf" --crashes >"$WORK/crashes"
	"$KTRACE" timeline -i "$WORK/r/bpf" --engine=libipt >"$WORK/libipt"
	# 20 packets, getppid five times and once: for calls that are always
	# allowed the kernel does not run seccomp's filters (seccomp_cache_check_allow).
	expect "each run of a filter is a call" \
		'^\[classic BPF\],26,' 1 <("$KTRACE" report -i "$WORK/r/bpf" \
			--flat --format=csv | cut -d, -f 1,2 | sed 's/$/,/')
	expect "no filter is a gap" 'gap: no code' 0 "$WORK/timeline"
	expect "nor for libipt" 'gap: no code' 0 "$WORK/libipt"
	expect "calls that seccomp refuses have name, result and cause" \
		'getppid\(\) = -1 EPERM .*by seccomp' 5 "$WORK/calls"
	expect_no_reused_code
	expect_perf_decodes
	expect "who is killed by seccomp is said" \
		'SIGSYS by seccomp, in getppid' 1 "$WORK/crashes"
}

main "$@"
