#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ktrace-hw serve: a program without rights gets the same records of its own
# calls as root; programs that are not in the group, request others' threads, or
# misbehave are refused and disturb no client; a service that is killed is an
# error, and no more; no client gets an outdated copy of the kernel after a CPU was
# switched off and on.
#
#	serve.sh [--arm64]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"

main() {
	# The machine's user nobody cannot use a Python in a home directory.
	need /usr/bin/python3
	take_arm64 "$@"
	skip_without_machine 6.12
	make_programs
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" --disk-size 64 \
		--disk-delay 60 --timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/serve_guest.sh" "$WORK" \
		"$GUEST_BUILD" "$GUEST_ROOT"
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" --cpus 2 \
		--timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/serve_guest.sh" "$WORK" \
		"$GUEST_BUILD" "$GUEST_ROOT" switch_cpu
	python3 "$HERE/judge_serve.py" "$KTRACE" "$WORK" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
