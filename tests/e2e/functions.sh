#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Function entries and exits of recordings made in the virtual machine: against
# its ground truth, every one, in order, same task; against perf, call counts
# (on x86-64: this computer's perf has no decoder for Arm's trace); and against
# themselves: the reported times add up.
#
#	functions.sh [--arm64] [KERNEL [CPUS [RECORDING...]]]
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"

readonly TOOL=$ROOT/build/machine/tests/tool_functions
take_arm64 "$@"
shift "$IS_ARM64"
DEFAULT=(ls pipe disk sleep all disk-all sleep-all events modules bpf)
((!IS_ARM64)) || DEFAULT=(ls pipe sleep all sleep-all modules bpf)
readonly DEFAULT
readonly KERNEL=${1:-6.12} CPUS=${2:-1}
shift $(($# < 2 ? $# : 2))

make_recordings() { # name...
	local -a options=("${GUEST_OPTIONS[@]}")
	# Small recordings fit into the machine whose cached state other tests
	# share.
	[[ -z ${KTRACE_FULL:-} && " $* " != *-all* ]] || options+=(--memory 3072)
	[[ " $* " != *" disk"* ]] || options+=(--disk-size 64)
	make_programs
	mkdir -p "$WORK/truth"
	"$MACHINE" run --discard --fast "${options[@]}" --kernel "$KERNEL" \
		--cpus "$CPUS" --timeout "$LIMIT_S" \
		--results "$WORK" --truth "$WORK/truth" -- \
		bash "$GUEST_ROOT/tests/e2e/functions_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" "$@"
}

# The size of the errors is judged where it is deterministic: with one CPU.
check_truth() { # name
	local -a options=()
	((CPUS > 1)) && options=(--host-clock) || options=(--time-p99 100)
	[[ ! -e $WORK/$1.names ]] || options+=(--names "$WORK/$1.names")
	if "$KTRACE" timeline -i "$WORK/$1" --format=csv |
		"$TOOL" "${options[@]}" "$WORK/truth" "$WORK/$1" \
			>"$WORK/$1.match"; then
		sed "s|^$WORK/|ok: |" "$WORK/$1.match"
	else
		not_ok "$1: not as the truth" "$(cat "$WORK/$1.match")"
	fi
}

# Time on the CPUs is in exactly one function each.
check_sums() { # name
	local traced self
	traced=$(summary_of "$WORK/$1" cpu traced_ns)
	self=$("$KTRACE" report --flat --with-idle --with-tracer -i "$WORK/$1" \
		--format=csv |
		awk -F, 'NR > 1 { sum += $3 } END { printf "%.0f\n", sum }')
	expect "$1: self times add up to the time traced" "$traced" "$self"
	expect "$1: no gap" 0 "$(summary_of "$WORK/$1" cpu gaps)"
}

# Counts the switches in the timeline while the trace is on.
traced_switches() { # name
	"$KTRACE" timeline -i "$WORK/$1" --format=csv |
		awk -F, '$1 == "state" { on = $9 != "off" }
			 $1 == "switch" && on { n++ } END { print n + 0 }'
}

# Compares the number of switches and the time in the kernel with the truth, to
# one in 1000; on arm64 entries and exits are between timestamps, 512 ns apart,
# and each may be that inexact: to one in 200.
check_switches() { # name
	local switches kernel traced off part=1000
	((!IS_ARM64)) || part=200
	read -r switches kernel < <(awk '{
			for (i = 1; i < NF; i++) {
				if ($i == "switches") s = $(i + 1)
				if ($i == "kernel") k = $(i + 1)
			}
		} END { printf "%d %d\n", s, k }' "$WORK/$1.match")
	traced=$(summary_of "$WORK/$1" cpu traced_ns)
	off=$((traced > kernel ? traced - kernel : kernel - traced))
	expect "$1: as many switches as in the truth" "$switches" \
		"$(traced_switches "$1")"
	expect_that "$1: $traced ns in the kernel, in the truth $kernel" \
		$((off * part)) -lt "$kernel"
}

# Otherwise no breakpoint would have been tested.
check_breakpoints() { # name
	expect_that "$1: a CPU met a breakpoint that another one was patching" \
		"$("$KTRACE" timeline -i "$WORK/$1" --format=csv |
			grep -c ',asm_exc_int3,')" -gt 0
}

main() {
	local -a names=("${@:-${DEFAULT[@]}}")
	local name
	skip_without_machine "$KERNEL"
	make_recordings "${names[@]}"
	for name in "${names[@]}"; do
		check_truth "$name"
		check_sums "$name"
		# The truth does not include the switches of a paused trace.
		[[ $CPUS != 1 || $name != *all ]] || check_switches "$name"
		[[ $name != patches ]] || check_breakpoints "$name"
	done
	((!IS_ARM64)) && command -v perf >/dev/null || return 0
	for name in "${names[@]}"; do
		# To count, perf decodes each: without the full tier it does so
		# twice more, for other output, of the first alone.
		[[ -z ${KTRACE_FULL:-} && $name != "${names[0]}" ]] ||
			expect_perf_reads "$name: perf reads it" "$WORK/$name"
		expect_perf_counts "$name: calls as in perf" "$WORK/$name"
	done
}

main "$@"
