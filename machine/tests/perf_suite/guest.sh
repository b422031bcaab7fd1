#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's side of test_perf_suite.sh: runs perf's own tests of this
# machine's trace unit. A test that reports no cases counts as one case.
set -euo pipefail

readonly WORK=/tmp/perf-suite
# Its trace has 57 MB.
readonly LEFT_OUT=coresight/unroll_loop_thread_10.sh
HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=machine/tests/guest_perf.sh
source "$HERE/../guest_perf.sh"

# Finds the folder of tests, which differs between perf's packages.
find_suite() {
	local core
	for core in "$(perf --exec-path)" /usr/lib/perf-core /usr/libexec/perf-core; do
		[[ ! -r $core/tests/shell/$1 ]] || {
			printf '%s\n' "$core/tests/shell"
			return
		}
	done
}

one_case() { # test
	local code=0
	printf -- '--- %s ---\n' "$1"
	sh "$1" || code=$?
	if ((code)); then
		echo "exit code $code"
	else
		echo OK
	fi
}

first=test_intel_pt.sh
[[ $(uname -m) == x86_64 ]] || first=test_arm_coresight.sh
suite=$(find_suite "$first")
if [[ -z $suite ]]; then
	printf 'no suite: %s has no tests/shell/%s\n' "$(perf --version)" "$first"
	exit 0
fi
# The suite gives perf 5 s to start, but perf reads the files of all modules,
# 4000 of them over 9p, which takes 6 to 20 s here.
mkdir -p "$WORK/tests"
make_perf_fast
cp -r "$suite" "$WORK/tests/shell"
cp -r "$HERE/util" "$WORK/util"
cd "$WORK/tests/shell"
# The number depends on perf's version: 6.1 has thirteen, 6.12 one more.
if [[ $first == test_intel_pt.sh ]]; then
	printf 'cases: %d\n' "$(grep -c '^test_.*count_result' "$first")"
	exec sh "./$first"
fi
tests=()
for test in coresight/*.sh; do
	[[ $test == "$LEFT_OUT" ]] || tests+=("$test")
done
printf 'left out: %s: an emulated perf prints its trace for more than an hour\n' \
	"$LEFT_OUT"
printf 'cases: %d\n' "$((8 + ${#tests[@]}))"
sh "./$first"
for test in "${tests[@]}"; do
	one_case "$test"
done
