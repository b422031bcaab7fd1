#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the branches of CoreSight recordings with perf's, one by one.
#	tests/coresight_perf.sh [PROGRAM]	(default: build/ktrace-hw)
# KTRACE_SHARED names the reference data (default: ../shared), KTRACE_ARM64_ROOT
# a folder with the traced program (usr/bin/busybox of arm64's busybox-static
# 1:1.37.0-6+b9; default: the arm64 machine's files), KTRACE_PERF a perf that
# decodes CoreSight (default: perf).
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

PROGRAM=${1:-build/ktrace-hw}
PERF=${KTRACE_PERF:-perf}
SHARED=${KTRACE_SHARED:-../shared}
FILES=${KTRACE_ARM64_ROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/roots/arm64}

skip() {
	printf 'skipped: %s\n' "$*"
	exit 0
}

[[ -d $SHARED ]] || skip "the reference data are not in $SHARED"
[[ -r $FILES/usr/bin/busybox ]] ||
	skip "there is no $FILES/usr/bin/busybox: machine fetch --arch arm64"
$PERF version --build-options 2>/dev/null |
	grep -q 'libopencsd: *\[ *on' ||
	skip "$PERF does not decode CoreSight"

SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
tar --zstd -xf "$SHARED/recordings/arm64-ete.tar.zst" -C "$SCRATCH"
RECORDING=$SCRATCH/r.data

HOME=$SCRATCH $PERF script --symfs "$FILES" -i "$RECORDING" \
	--itrace=b -F ip,addr,flags >"$SCRATCH/perf" 2>/dev/null ||
	skip "$PERF does not read the recording"
"$PROGRAM" dump --blocks --symfs "$FILES" -i "$RECORDING" \
	>"$SCRATCH/ours" 2>/dev/null
exec python3 tests/coresight_perf.py "$SCRATCH/perf" "$SCRATCH/ours" 1000000
