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
first=("functions.sh 6.12 1")
second=("record.sh" "functions.sh 6.1 1 ls sleep-all events"
	"functions.sh 6.12 2 echo echo-all")
[[ ${1:-all} != full ]] || second+=("functions.sh 6.1 1")
# Tests that need no arguments.
for test in "$HERE"/{test,attribution}_*.sh; do
	[[ ! -e $test || $test == *_guest.sh ]] || first+=("${test##*/}")
done
lanes "$HERE" first second
