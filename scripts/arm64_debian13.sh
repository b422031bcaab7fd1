#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the CoreSight suites built for arm64 with the libraries of Debian 13, as
# in the arm64 machine's root file system: OpenCSD 1.5.  (`make ARCH=arm64 check`
# runs all suites with the libraries of this system's release.)
#
#	arm64_debian13.sh [full]	full runs the long ones too
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

FILES=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/roots/arm64
SUITES=()
for suite in tests/decoder/test_coresight*.c; do
	case $suite in
	# This OpenCSD needs milliseconds in QEMU to create a decoder, and these
	# suites create hundreds.
	*_damage.c | *_resync.c | *_ahead.c | *_boards.c | *_segments.c)
		[[ ${1:-} == full ]] || continue
		;;
	esac
	SUITES+=("$suite")
done
SUITES=("${SUITES[@]/#*\//build-arm64/tests/}")
SUITES=("${SUITES[@]/%.c/}")

machine/host/machine fetch --arch arm64 || {
	echo "skipped: ${0##*/}: the arm64 machine cannot be had"
	exit 0
}
make -s -j"$(nproc)" ARCH=arm64 check SUITES="${SUITES[*]}" \
	RUN="qemu-aarch64 $FILES/usr/lib/ld-linux-aarch64.so.1 \
--library-path $FILES/usr/lib/aarch64-linux-gnu"
