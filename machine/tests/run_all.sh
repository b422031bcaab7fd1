#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs all tests that start the machine side by side; prints each test's output
# when it has ended.
#
#	run_all.sh [usual|long|full]
#	run_all.sh list [usual|long|full]	only lists them, with paths
#	run_all.sh fetch [usual|long|full]	only fetches what they need
#
# usual makes one recording; long makes each kind of recording once; full makes
# every recording, on every kernel and on arm64, including long ones, runs perf's
# own suite, and the tests that matter only for changes of the machine.
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
ACTION=run
case ${1:-} in
list | fetch) ACTION=$1 && shift ;;
esac
LEVEL=${1:-long}
readonly HERE ACTION LEVEL
# shellcheck source=machine/tests/side_by_side.sh
source "$HERE/side_by_side.sh"

# Fetches everything once, and reports missing parts once.
fetch() {
	local kernel
	local -a kernels=(6.12)
	[[ $LEVEL == usual ]] || kernels+=(6.1)
	[[ $LEVEL != full ]] || kernels+=(7.3)
	for kernel in "${kernels[@]}"; do
		"$HERE/../host/machine" fetch --kernel "$kernel"
	done
	[[ $LEVEL != usual ]] || return 0
	for kernel in "${kernels[@]}"; do
		"$HERE/../host/machine" fetch --arch arm64 --kernel "$kernel"
	done
}

# The longest tests first.
usual=("conformance.sh 6.12 1 no-tnt" test_machine_options.sh)
tests=(test_machine_failures.sh test_trace_unit.sh
	"conformance.sh 6.12 1 task-both filter events-kernel no-tnt"
	"conformance.sh 6.12 2 all-cyc"
	"conformance_arm64.sh 1 task-times ours-cycles filter"
	test_machine_{run,fetch,keep,devices,disk_delay,shell,isolated,options}.sh)
if [[ $LEVEL == full ]]; then
	tests+=("conformance.sh 6.12 1" "conformance.sh 6.12 2"
		"conformance.sh 6.12 1 large" "conformance.sh 6.1 1"
		"conformance.sh 6.1 2" "conformance.sh 7.3 1"
		"conformance.sh 7.3 2" test_perf_suite.sh
		test_deterministic.sh test_machine_fast.sh test_truth_exec_log.sh
		test_machine_patching.sh
		"test_perf_suite.sh 7.3" "test_perf_suite.sh --arm64"
		"conformance_arm64.sh 1"
		"conformance_arm64.sh 1 large" "conformance_arm64.sh 2"
		"conformance_arm64.sh --kernel 6.1 1 ours-task"
		"conformance_arm64.sh --kernel 7.3 1 ours-task ours-user ours-cycles ours-patching"
		"conformance_arm64.sh --kernel 7.3 2 ours-moving")
fi
[[ $LEVEL != usual ]] || tests=("${usual[@]}")
case $ACTION in
list) printf '%s\n' "${tests[@]/#/machine/tests/}" ;;
fetch) fetch ;;
run)
	fetch
	side_by_side "$HERE" "${tests[@]}"
	;;
esac
