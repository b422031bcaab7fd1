#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --syscalls and timeline --syscalls tell what programs do whose system
# calls are known by construction; perf counts them too.
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
"$MACHINE" run --fast --disk-size 64 --timeout 300 --results "$WORK" -- \
	bash "$HERE/waits_guest.sh" "$WORK" "$KTRACE" "$WAITS" \
	errors child restart bare copy
python3 "$HERE/judge_syscalls.py" "$KTRACE" "$WORK"
