#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: recordings of the program generated_code of the
# build $2, with pauses of $3 ms, in the folder $1.  generated_code.sh judges them.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1
KTRACE=$2/ktrace-hw
PROGRAM=$2/tests/e2e/programs/generated_code
PAUSE_MS=$3
mkdir /dev/shm/work
cd /dev/shm/work

record() { # name argument...
	record_command "$1" "$PROGRAM" "${@:2}"
}

record_command() { # name command...
	run "$1" "$KTRACE" record --user -o "$1" -- "${@:2}"
	[[ $(<"$1.code") == 0 ]] || fail "$1: $(tail -n 3 "$1.err")"
}

hold_symbols
record dump-rwx dump rwx 0
record dump-rx dump rx 0
record map-rx map rx "$PAUSE_MS"
record map-rwx map rwx 250
record none-rwx none rwx 0
# With process numbers and a /tmp of its own.
# shellcheck disable=SC2016 # for the shell in the container
record_command container unshare --pid --mount --fork sh -c \
	'mount -t tmpfs none /tmp && "$0" "$@"' "$PROGRAM" map rx "$PAUSE_MS"
record_command moved "$2/tests/e2e/programs/moved_code"
save_results "$2"
