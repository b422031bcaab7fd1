#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the kernel's function_graph tracer with the trace unit, for the same
# process at the same time: every function that ftrace can trace, once, in
# order. functions.sh compares the trace unit with the ground truth.
#
#	function_graph.sh [--arm64] [KERNEL [CPUS [small|large|pair]]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"

take_arm64 "$@"
shift "$IS_ARM64"
readonly KERNEL=${1:-6.12} CPUS=${2:-1} LOAD=${3:-small}

make_recordings() {
	# Large recordings are in the guest's memory.
	[[ $LOAD == small ]] || GUEST_OPTIONS+=(--memory 3072)
	in_machine --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/function_graph_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" "$LOAD" >"$WORK/machine.out" 2>&1 ||
		not_ok "recordings" "$(tail -n 5 "$WORK/machine.out")"
}

main() {
	need python3
	skip_without_machine "$KERNEL"
	make_recordings
	((!FAILURES)) || return 0
	python3 "$HERE/judge_function_graph.py" "$KTRACE" "$WORK" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
