#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: a recording for each option of record, in the
# folder $1, by the program $2.  record.sh judges them.
set -euo pipefail
KTRACE=$2
# In the guest's memory: writing to the host's folder is much kernel work,
# which -a would record in turn.
cd "$(mktemp -d)"

# Records as NAME: its exit code, messages and seconds go to files.
record() { # name option...
	local name=$1 code=0 start=$SECONDS
	shift
	"$KTRACE" record -o "$name" "$@" >"$name.out" 2>"$name.err" || code=$?
	echo "$code" >"$name.code"
	echo "$((SECONDS - start))" >"$name.seconds"
}

exit_codes() {
	record code -- sh -c 'exit 7'
	# shellcheck disable=SC2016 # the traced shell's own number
	record signal -- sh -c 'kill -9 $$'
	record absent -- /nonexistent
	record denied -- /etc/passwd
	record usage --buffer 3
}

targets() {
	record user --user -- ls /etc
	record all -a -- sh -c 'ls /etc | wc -l'
	record cpu -C 0 -- sh -c 'ls /etc | wc -l'
	threads
}

threads() {
	local pid
	command -v python3 >/dev/null || return 0
	python3 -c '
import os, threading, time
def work():
    for _ in range(100000):
        os.listdir("/etc"); time.sleep(0.01)
for _ in range(3):
    threading.Thread(target=work).start()' &
	pid=$!
	sleep 1
	record pid -p "$pid" --duration 0.1
	kill "$pid"
}

ways() {
	record duration --duration 0.2 -- sleep 20
	record snapshot --snapshot --buffer 64K -- ls /etc
	record filter --filter vfs_read -- ls /etc
	record events --events all -- ls /etc
	record longer -a --buffer 256K -- ls /etc
}

# The recorder is killed in the middle.
killed() {
	"$KTRACE" record -a --buffer 256K -o killed 2>killed.err &
	local pid=$!
	until [[ -e killed/data ]]; do sleep 0.05; done
	for _ in 1 2 3 4 5 6 7 8; do ls /etc >killed.out; done
	kill -9 "$pid"
	wait "$pid" || echo "$?" >killed.code
}

no_space() {
	mkdir small
	mount -t tmpfs -o size=28m none small
	record small/full -a -- ls -R /etc
	mv small/full.* .
	cp -r small/full full
	umount small
}

exit_codes
targets
ways
killed
no_space
cp -r . "$1"
