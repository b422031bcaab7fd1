#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine, for fleet.sh: records the shop RECORDINGS times,
# each time with another host name, and with 8 to 14 orders.
#
#	fleet_guest.sh KTRACE-HW SHOP FOLDER KERNEL RECORDINGS
set -euo pipefail
KTRACE=$1 SHOP=$2 FOLDER=$3 KERNEL=$4 RECORDINGS=$5

cd "$(mktemp -d)" # in memory: nothing of the host is recorded
for ((i = 0; i < RECORDINGS; i++)); do
	# Every second one has the new build, which waits for taxes longer.
	build=$((41 + i % 2))
	tax_us=$((build == 41 ? 100 : 400))
	name=$KERNEL-build$build-$i
	mkdir "/scratch/$i"
	command="exec $SHOP /scratch/$i $((8 + i % 7)) $tax_us"
	# A few are backed up meanwhile.
	((i % 20 != 6)) || command="dd if=/dev/zero of=/scratch/backup \
		bs=1M count=8 conv=fsync 2>/dev/null & $command"
	hostname "shop-$KERNEL-$i"
	"$KTRACE" record --events=attribution,syscalls -o "$name" -- \
		sh -c "$command" 2>record.txt || {
		cat record.txt
		exit 1
	}
	cp -r "$name" "$FOLDER"
	rm -r "$name"
done
