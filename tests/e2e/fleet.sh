#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/tutorial/fleet.sh makes a fleet, and the statements of
# docs/tutorial/fleet.md about it are true.
#
#	fleet.sh [RECORDINGS [KERNEL...]]	8 of 6.1 and of 6.12
#
# python3 tests/e2e/fleet.py KTRACE FOLDER docs/tutorial/fleet.md --write puts
# the output for an existing fleet into the chapter.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
RECORDINGS=${1:-8}
KERNELS=("${@:2}")
((${#KERNELS[@]})) || KERNELS=(6.1 6.12)

main() {
	local kernel
	need python3
	for kernel in "${KERNELS[@]}"; do
		skip_without_machine "$kernel"
	done
	export KTRACE MACHINE
	"$ROOT/docs/tutorial/fleet.sh" \
		"$WORK" "$RECORDINGS" "${KERNELS[@]}"
	python3 "$HERE/fleet.py" "$KTRACE" "$WORK" \
		"$ROOT/docs/tutorial/fleet.md" || FAILURES=1
}

main
