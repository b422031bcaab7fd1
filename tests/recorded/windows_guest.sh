#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: a recording of tasks that come and go, sleep and
# run together, into the folder $1, by the program $2; they read the other
# folders.  windows.py judges it.
set -euo pipefail
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
cd "$(mktemp -d)"
# shellcheck disable=SC2016 # it is the inner shell's
"$2" record -a --events=attribution,switches -o recording -- sh -c '
	asker=$1
	shift
	for folder; do
		tar cf - "$folder" | cat | wc -c
		sleep 0.01
	done
	ls -lR /etc/apt | sort | wc -l
	. "$asker"' sh "$HERE/ask.sh" "${@:3}" >/dev/null
cp -r recording "$1"
