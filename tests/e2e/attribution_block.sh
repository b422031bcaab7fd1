#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --block counts the I/O of a program as the kernel's own counters do,
# and its times agree with the program's clock, on a fast disk and on one with a
# delay; the class reclaim is the kernel's own count of the time in which a cgroup
# needed memory; report --interrupts charges the writing of pages, and the completions,
# to those who made them dirty; and threads that wait for the same page, inode or I/O
# are counted.
#
#	attribution_block.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"
PROGRAM=$GUEST_BUILD/tests/e2e/programs/disk_io

record_disk() { # name machine-option...
	in_machine --disk-size 64 "${@:2}" --late-results \
		--results "$WORK/r" -- sh -ec "
		# ext4lazyinit's flushes would be in flight with the program's, and
		# pages made dirty before a recording are nobody's in it.
		mount -o remount,noinit_itable /scratch
		sync
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/$1' -- \
			'$PROGRAM' /scratch/file >'$WORK/r/$1.out'
		sync
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/$1-dirty' \
			--buffer 32M -- sh -c '
			\$0 /scratch/one 1536 & \$0 /scratch/other 512 & wait
			sync
			sleep 0.1' '$PROGRAM' >'$WORK/r/$1-dirty.out'
		if [ $1 = slow ] && [ $KERNEL != 6.1 ]; then
			p=$GUEST_BUILD/tests/e2e/programs/same_object
			for i in \$(seq 20); do : >/scratch/other\$i; done
			dd if=/dev/zero of=/scratch/same bs=4k count=8 2>/dev/null
			for i in 0 1 2 3; do ln /scratch/same /scratch/link\$i; done
			'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/same' \
				--args=wait_objects -- sh -c \"\$p /scratch/same
				umount /scratch
				mount /dev/nullb0 /scratch
				\$p /scratch /scratch/link\" >'$WORK/r/same.out'
		fi
		[ $1 = fast ] || exit 0
		small=/sys/fs/cgroup/small
		echo +memory >/sys/fs/cgroup/cgroup.subtree_control
		mkdir \$small
		echo 8M >\$small/memory.max
		dd if=/dev/zero of=/scratch/large bs=64k count=384 2>/dev/null
		sync
		echo 3 >/proc/sys/vm/drop_caches
		'$GUEST_BUILD/ktrace-hw' record --buffer 32M -o '$WORK/r/reclaim' -- \
			sh -c 'echo \$\$ >/sys/fs/cgroup/small/cgroup.procs
			exec dd if=/scratch/large of=/dev/null bs=64k status=none'
		cp \$small/memory.pressure '$WORK/r/reclaim.out'
		rm /scratch/large
		[ $KERNEL != 6.1 ] || exit 0
		dd if=/dev/zero of=/scratch/read bs=4k count=20 2>/dev/null
		sync
		echo 3 >/proc/sys/vm/drop_caches
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/files' \
			--args=block_files -- sh -c '
			cat /scratch/read >/dev/null
			dd if=/dev/zero of=/scratch/written bs=4k count=8
			dd if=/scratch/read of=/dev/null bs=4k count=1 iflag=direct
			sync' 2>/dev/null
		stat -c %i /scratch/read /scratch/written >'$WORK/r/files.out'"
}

main() {
	prepare_machine python3
	mkdir "$WORK/r"
	record_disk fast
	record_disk slow --disk-delay 20
	python3 "$HERE/judge_block.py" "$KTRACE" "$WORK/r" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
