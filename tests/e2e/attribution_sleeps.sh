#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --sleeps finds the wait channels and stacks of programs' sleeps, and
# their wakers, all of which are known by construction.
#
#	attribution_sleeps.sh [--arm64] [KERNEL [CPUS [CASE...]]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_arm64 "$@"
shift "$IS_ARM64"
DEFAULT=(stacks static pipe child futex disk chain labels)
KERNEL=${1:-6.12}
CPUS=${2:-1}

# An archive has only the addresses of user stacks, which are enough: it
# contains nothing of the environment.
check_archive() {
	local out=$WORK/unpacked
	"$KTRACE" archive -i "$WORK/stacks" -o "$WORK/stacks.ktrace" \
		2>"$WORK/said"
	expect_that "archive: says of how many stacks" -n \
		"$(grep 'copies of user stacks' "$WORK/said")"
	"$KTRACE" archive --unpack "$WORK/stacks.ktrace" -o "$out" 2>/dev/null
	expect_that "stacks hold the environment" \
		"$(grep -ac KTRACE_SECRET= "$WORK/stacks/data" || true)" -gt 0
	expect "archive: it does not" 0 \
		"$(grep -ac KTRACE_SECRET= "$out/data" || true)"
	expect "archive: the same stacks" \
		"$("$KTRACE" report --sleeps -i "$WORK/stacks" | sha256sum)" \
		"$("$KTRACE" report --sleeps -i "$WORK/stacks.ktrace" |
			sha256sum)"
	rm -r "$out" "$WORK/stacks.ktrace"
}

main() {
	local cases=("${@:3}") judge=judge_sleeps.py
	((${#cases[@]})) || cases=("${DEFAULT[@]}")
	prepare_machine perf python3
	record_waits "$KERNEL" "$CPUS" 60 "${cases[@]}"
	((CPUS == 1)) || judge=judge_sleeps_by_host.py
	python3 "$HERE/$judge" "$KTRACE" "$WORK" "${cases[@]}" ||
		FAILURES=$((FAILURES + 1))
	((IS_ARM64)) || [[ ! -d $WORK/stacks ]] || check_archive
}

main "$@"
