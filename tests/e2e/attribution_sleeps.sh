#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --sleeps tells where programs sleep, with which stacks, and who wakes
# them, where all that is known by construction; also with Linux 6.1.
set -euo pipefail

HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
MACHINE=${MACHINE:-$ROOT/machine/host/machine}
WAITS=${WAITS:-$ROOT/build/tests/e2e/programs/waits}

for program in perf python3; do
	command -v "$program" >/dev/null || {
		echo "skipped: no $program here"
		exit 0
	}
done
make -s -C "$ROOT" e2e-programs
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# Records the cases with the kernel and judges them.
judge() { # kernel case...
	local kernel=$1 folder=$WORK/$1
	shift
	mkdir "$folder"
	"$MACHINE" run --fast --kernel "$kernel" --disk-size 64 \
		--disk-delay 60 --timeout 300 --results "$folder" -- \
		bash "$HERE/waits_guest.sh" "$folder" "$KTRACE" "$WAITS" "$@"
	echo "== Linux $kernel"
	python3 "$HERE/judge_sleeps.py" "$KTRACE" "$folder" "$@"
}

status=0
judge 6.12 stacks static pipe child futex disk labels || status=1
judge 6.1 stacks child labels || status=1
exit "$status"
