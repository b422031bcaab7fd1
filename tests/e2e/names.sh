#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions of programs by their names, in the virtual machine: of a stripped
# program, and of programs whose files no path of this computer leads to. The
# programs count their calls; judge_names.py compares.
#
#	names.sh [KERNEL [CASE...]]
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"

readonly KERNEL=${1:-6.12}
shift $(($# < 1 ? $# : 1))
CASES=("$@")
(($#)) || CASES=(run stripped shell memfd deleted pivot overlay chroot running
	budget)

judge() { # case argument...
	python3 "$HERE/judge_names.py" "$KTRACE" "$WORK" "$@" || FAILURES=1
}

main() {
	local case programs=$ROOT/build/tests/e2e/programs
	skip_without_machine "$KERNEL"
	make_programs
	# The machine has this computer's files: reports find these by path.
	strip -o "$programs/named-stripped" "$programs/named-static"
	"$MACHINE" run --discard --fast --kernel "$KERNEL" \
		--timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/names_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" "${CASES[@]}"
	for case in "${CASES[@]}"; do
		judge "$case"
	done
}

main
