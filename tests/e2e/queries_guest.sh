#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine, which is then called $3: records the work for the
# questions of docs/queries.md, into the folder $1, by the program $2, from an
# instant on that is the same in each machine.
set -euo pipefail
RESULTS=$1
KTRACE=$2
export PROGRAMS=${KTRACE%/*}/tests/e2e/programs
hostname "$3"

# A page that is not in memory, on a slow disk.
seq 1000 >/scratch/page
sync
dd if=/scratch/page iflag=nocache count=0 2>/dev/null
cd "$(mktemp -d)"
cat >work.sh <<'END'
"$PROGRAMS/locks" >/dev/null
"$PROGRAMS/requests" chain tcp truth
cat /scratch/page | wc -l >/dev/null
"$PROGRAMS/slow_reads" 40 2 8 >/dev/null
"$PROGRAMS/slow_reads" spin 2000
END
date -s @1795443000 >/dev/null
"$KTRACE" record --events=attribution,all,locks --activate @1795443002 \
	-o "$3" -- sh work.sh
cp -r "$3" "$RESULTS"
