#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All end-to-end tests, two at a time; prints each one's lines when it has
# ended.
#
#	run_all.sh [all|full]
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
readonly HERE
# shellcheck source=machine/tests/lanes.sh
source "$HERE/../../machine/tests/lanes.sh"

# shellcheck disable=SC2034 # lanes reads the arrays
first=("functions.sh 6.12 1 ls pipe disk sleep all events") second=()
if [[ ${1:-all} == full ]]; then
	second=("record.sh" "functions.sh 6.12 1 disk-all sleep-all modules bpf"
		"functions.sh 6.1 1 ls sleep-all events"
		"functions.sh 6.12 2 echo echo-all")
fi
# Tests that need no arguments.
for test in "$HERE"/{test,attribution}_*.sh; do
	[[ ! -e $test || $test == *_guest.sh ]] || second+=("${test##*/}")
done
lanes "$HERE" first second
