#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records tests/e2e/programs/relations, the program
# $3, by the recorder $2, each case into a folder of its own in $1.
set -euo pipefail
RESULTS=$1 KTRACE=$2 PROGRAM=$3
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
# shellcheck source=tests/e2e/guest_record.sh
source "$HERE/guest_record.sh"
# shellcheck source=tests/e2e/guest_run.sh
source "$HERE/guest_run.sh"

# The file is then cached when it is read.
cat /etc/passwd >/dev/null
hold_symbols
record kernel --events=attribution -- "$PROGRAM" kernel /etc/passwd
record requests --events=attribution -- "$HERE/../recorded/ask.sh"
if (($(nproc) > 1)); then
	save_results "${KTRACE%/*}"
	exit
fi
record border --user --events=sched -- "$PROGRAM" border /etc/passwd
record sites --user --events=sched -- "$PROGRAM" sites /etc/passwd
record stacks --events=attribution,faults --user-stacks -- "$PROGRAM" sites /etc/passwd
record bare --events=none -- "$PROGRAM" kernel /etc/passwd
save_results "${KTRACE%/*}"
