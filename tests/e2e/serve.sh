#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ktrace-hw serve: what a program without rights is told of its own calls is what
# root is told; who is not in the group, asks for others' threads, or misbehaves is
# refused and disturbs nobody; a service that is killed is an error, and no more.
#
#	serve.sh [--arm64]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"

main() {
	# The machine's nobody cannot use one of somebody's home.
	need /usr/bin/python3
	take_arm64 "$@"
	skip_without_machine 6.12
	make_programs
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" --disk-size 64 \
		--disk-delay 60 --timeout "$LIMIT_S" --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/serve_guest.sh" "$WORK" \
		"$GUEST_BUILD" "$GUEST_ROOT"
	python3 "$HERE/judge_serve.py" "$KTRACE" "$WORK" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
