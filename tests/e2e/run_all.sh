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
first=("functions.sh 6.12 1 ls disk sleep all events"
	"functions.sh 6.12 1 pipe modules bpf" attribution_syscalls.sh
	attribution_levels.sh)
second=(record.sh "functions.sh 6.1 1 ls sleep-all events"
	attribution_processes.sh attribution_interrupts.sh
	attribution_servers.sh)
if [[ ${1:-all} == full ]]; then
	first+=("functions.sh 6.12 1 disk-all sleep-all"
		"functions.sh 6.12 2 echo echo-all")
	second+=("attribution_interrupts.sh full" attribution_relations.sh
		attribution_sleeps.sh)
fi
lanes "$HERE" first second
