#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests --fast: the second start resumes from the state that the first one
# saved, and a command cannot distinguish the two machines.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12

# Use a separate folder of states, but share fetched files.
mkdir -p "$WORK/cache/ktrace-hw" "$WORK/results"
for part in kernels qemu initramfs; do
	ln -s "${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/$part" \
		"$WORK/cache/ktrace-hw/$part"
done
export XDG_CACHE_HOME=$WORK/cache

# shellcheck disable=SC2016 # the guest's shell expands them
fast() { # text
	run --results "$WORK/results" -- bash -c '
		cat >"$0/file"; echo "$1"; nproc; uname -r
		exit 6' "$WORK/results" "$1" <<<"$1"
}

# Prints the state file's inode number.
state() {
	find "$WORK/cache/ktrace-hw/states" -type f -printf '%i '
}

fast first
expect "the first start" "6 first" "$CODE $(<"$WORK/results/file")"
FIRST=$OUT
expect "its state is kept" 1 "$(find "$WORK/cache/ktrace-hw/states" -type f | wc -l)"
expect "and nothing else said" "" "$ERR"
STATE=$(state)
fast second
expect "the second start" "6 second" "$CODE $(<"$WORK/results/file")"
expect "the same machine" "${FIRST/first/second}" "$OUT"
# A fresh start creates a new file.
expect "one state serves both" "$STATE" "$(state)"
cd "$WORK/results"
capture "$MACHINE" run --fast --no-trace-unit --cpus 2 --timeout "$LIMIT_S" -- \
	sh -c 'echo kept >kept'
expect "and one with a folder to keep and none for results" "0 ${STATE}kept" "$CODE $(state)$(<kept)"
cd "$HERE"
run --memory 1024 --results "$WORK/results" -- true
expect "another machine has another state" 2 \
	"$(find "$WORK/cache/ktrace-hw/states" -type f | wc -l)"

# A plugin is identified by its contents: an identical one in another clone uses
# the same state.
unit() { # where the machine is built, option...
	KTRACE_MACHINE_BUILD=$1 capture "$MACHINE" run --discard --fast "${@:2}" \
		--timeout "$LIMIT_S" --results "$WORK/results" -- true
}

BUILD=$(realpath "${KTRACE_MACHINE_BUILD:-$HERE/../../build/machine}")
mkdir "$WORK/clone"
find "$BUILD" -maxdepth 1 -type f -perm -u+x -exec cp -t "$WORK/clone" {} +
unit "$BUILD"
expect "a machine with a plugin" 0 "$CODE"
STATE=$(state)
unit "$WORK/clone"
expect "its state serves the same plugin elsewhere" "0 $STATE" "$CODE $(state)"
# The ground truth of a resumed machine starts like a fresh machine's: the tests
# that compare with it (conformance.sh) check its contents.
mkdir "$WORK/truth"
unit "$BUILD" --truth "$WORK/truth"
expect "and a machine whose truth is written" "0 $STATE" "$CODE $(state)"
unit "$BUILD" --loss 20000
expect "and one that loses trace" "0 $STATE" "$CODE $(state)"
expect "and it is written" yes "$([[ -s $WORK/truth/summary ]] && echo yes)"
rm "$WORK/cache/ktrace-hw/states"/virtual-*

# Up to twelve states of machines with the host's clock, as here, are kept, and
# up to forty of others.
kept() { # clock
	find "$WORK/cache/ktrace-hw/states" -name "$1-*" -type f | wc -l
}

for number in {1..50}; do
	touch "$WORK/cache/ktrace-hw/states"/{virtual,host}-"$number"
done

# A full cache must not prevent a run.
mkdir "$WORK/bin"
printf '#!/bin/sh\nprintf "F 1M U A C M\\n/dev/x 9 9 7 99%% /\\n"\n' \
	>"$WORK/bin/df"
chmod +x "$WORK/bin/df"
PATH=$WORK/bin:$PATH run --memory 1500 --results "$WORK/results" -- true
expect_failure "no space: it runs" 0 \
	'too little space in .* to keep the machine.s state'
expect "no space: no state, and no more than that are kept" "11 39" \
	"$(kept host) $(kept virtual)"
