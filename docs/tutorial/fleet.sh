#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the fleet of fleet.md: recordings of the shop in virtual machines with
# several kernels, and FOLDER/fleet.db, a store with all of them.
#
#	fleet.sh FOLDER [RECORDINGS [KERNEL...]]
#
# RECORDINGS are of each kernel (67), KERNELs those of Debian (6.1 6.12 7.3).
# The program is build/ktrace-hw, or $KTRACE.
set -euo pipefail
HERE=$(dirname "$(realpath "$0")")
KTRACE=$(realpath "${KTRACE:-$HERE/../../build/ktrace-hw}")
MACHINE=${MACHINE:-$HERE/../../machine/host/machine}
if (($# < 1)); then
	echo "usage: fleet.sh FOLDER [RECORDINGS [KERNEL...]]" >&2
	exit 2
fi
mkdir -p "$1"
FOLDER=$(realpath "$1")
RECORDINGS=${2:-67}
TABLES=syscall,sleep,thread_state,fault,profile # not each call: that is gigabytes
KERNELS=("${@:3}")
((${#KERNELS[@]})) || KERNELS=(6.1 6.12 7.3)

cc -O1 -g -o "$FOLDER/shop" "$HERE/shop.c"
for kernel in "${KERNELS[@]}"; do
	"$MACHINE" run --discard --fast --kernel "$kernel" --disk-size 64 \
		--results "$FOLDER" -- \
		bash "$HERE/fleet_guest.sh" "$KTRACE" "$FOLDER/shop" \
		"$FOLDER" "$kernel" "$RECORDINGS"
	for build in 41 42; do
		"$KTRACE" store add --to "$FOLDER/fleet.db" --tables "$TABLES" \
			--label "build=$build" --label "series=$kernel" \
			"$FOLDER/$kernel-build$build"-*
	done
done
