#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: top's rounds, while a program sleeps and waits,
# into the folder $1, by the program $2.  top.sh judges them.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1
KTRACE=$2
HERE=$(dirname "$(realpath "$0")")
PROGRAMS=${KTRACE%/*}/tests/e2e/programs
cd "$(mktemp -d -p /dev/shm)"
chmod 755 .
export TMPDIR=$PWD/tmp
mkdir tmp

# Runs top as NAME: output, messages and exit code go to files.
top() { # name option...
	run "$1" "$KTRACE" top --slice 0.5 "${@:2}"
}

# Runs top as the user nobody, in a folder that this user can write.
top_without_rights() {
	local code=0
	mkdir -m 777 anyone
	TMPDIR=$PWD/anyone setpriv --reuid=65534 --clear-groups "$KTRACE" \
		top >rights.out 2>rights.err || code=$?
	echo "$code" >rights.code
}

# On one CPU: that it did not run on another one is known only because that one
# was to be traced, too.
taskset -c 0 "$PROGRAMS/naps" own &
naps=$!
echo "$naps" >pid
top text --once
top_without_rights
hold_symbols
top json --once --format=json
top pid --rounds 2 --delay 4 --format=json -p "$naps"
top command --once --format=json -- "$PROGRAMS/naps" own-command
top ended --format=json -- "$PROGRAMS/naps" own-ended 60
top absent --once -- /nonexistent
mkdir full
mount -t tmpfs -o size=256k tmpfs full
cat /dev/zero >full/fill 2>/dev/null || true
TMPDIR=$PWD/full top full --once
umount full
python3 "$HERE/top_terminal.py" "$KTRACE" >terminal || true
kill "$naps"
wait "$naps" || true
find tmp anyone -mindepth 1 >left-over
save_results "${KTRACE%/*}"
