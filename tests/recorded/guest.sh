#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: recordings into the folder $1, by the program
# $2, of the programs in the folder $3.  all.sh judges them.
set -euo pipefail
RESULTS=$1
KTRACE=$2
PROGRAMS=$3
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
# shellcheck source=tests/e2e/guest_run.sh
source "$HERE/../e2e/guest_run.sh"
# In the guest's memory: writing to the host's folder would be recorded, too.
cd "$(mktemp -d)"

# Small ones: their damaged copies are read thousands of times.  Each program that
# is started would be as much again as all that these do.
hold_symbols
"$KTRACE" record -a -o kernel -- \
	sh -c 'echo /etc/apt/* | { read -r names; }' >/dev/null
# Of more than one segment, which are decoded side by side, of requests, and of a
# process that a signal ends.
"$KTRACE" record -a --events attribution -o long -- \
	sh -c "ls -l '$HERE' '$HERE/../e2e' | sort | wc -l; . '$HERE/ask.sh'
		sh -c 'kill -s SEGV \$\$' || true" >/dev/null
"$KTRACE" record --user --events all -o small -- sh -c 'true; true'
for name in pie static stripped separate; do
	"$KTRACE" record --user -o "$name" -- "$PROGRAMS/$name"
done
cp "$PROGRAMS/pie" ./vanishing
"$KTRACE" record --user -o deleted -- sh -c './vanishing; rm ./vanishing'
save_results "${KTRACE%/*}" ./*/
