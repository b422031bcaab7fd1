#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests that start the machine, two at a time; prints each one's lines
# when it has ended.
#
#	run_all.sh [all|full]
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
LEVEL=${1:-all}
readonly HERE LEVEL
# shellcheck source=machine/tests/lanes.sh
source "$HERE/lanes.sh"

# Everything is fetched once, and what is missing is said once.
fetch() {
	local kernel
	for kernel in 6.12 6.1; do
		"$HERE/../host/machine" fetch --kernel "$kernel"
	done
}

fetch
tests=(test_machine_{options,fetch,run,failures,shell,fast,devices}.sh
	"test_trace_unit.sh $LEVEL")
if [[ $LEVEL == full ]]; then
	tests+=(test_machine_isolated.sh test_deterministic.sh
		test_truth_exec_log.sh)
fi
# shellcheck disable=SC2034 # lanes reads the arrays
first=("conformance.sh $LEVEL") second=("${tests[@]}" "conformance.sh smoke")
lanes "$HERE" first second
