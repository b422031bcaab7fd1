#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recorders that are killed, stopped, out of disk or surprised by the system, in
# the virtual machine: the messages, the saved data, and that it adds up.
#
#	faults.sh [--kernel KERNEL] KILLS SEED CPUS PART...
#
# The parts are kills (KILLS of them), accidents (stopped, a module unloaded,
# the clock set), full_disks, and with two CPUs two_at_once, switched_off and
# switched_on.
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"

# judge_faults.py compares the engines where possible: truncated trace may end
# anywhere.
check_engines() { :; }

main() {
	local kernel=6.12
	if [[ $1 == --kernel ]]; then
		kernel=$2
		shift 2
	fi
	local kills=$1 seed=$2 cpus=$3
	local -a options=(--kernel "$kernel" --cpus "$cpus")
	# A few fit into the machine whose cached state most tests share.
	[[ -z ${KTRACE_FULL:-} ]] || options+=(--memory 3072)
	skip_without_machine "$kernel"
	"$MACHINE" run --discard --fast "${options[@]}" --timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$HERE/faults_guest.sh" "$WORK" "$KTRACE" "$kills" \
		"$seed" "${@:4}"
	python3 "$HERE/judge_faults.py" "$KTRACE" "$WORK" "${@:4}" ||
		FAILURES=1
}

main "$@"
