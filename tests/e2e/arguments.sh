#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --args records the arguments and results of kernel functions as a
# program knows them, and leaves no probe behind. docs/comparison.md has some.
#
#	arguments.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"
PROGRAM=$GUEST_BUILD/tests/e2e/programs/called

main() {
	prepare_machine python3
	mkdir "$WORK/r"
	in_machine --disk-size 16 --disk-delay 2 --late-results --results "$WORK/r" -- sh -c "
		record() {
			'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/'\$1 --args \"\$2\" \
				-- '$PROGRAM' \"\${3:-/tmp/file}\" >'$WORK/r/'\$1.out \
				2>'$WORK/r/'\$1.err || echo code \$? >>'$WORK/r/'\$1.err
		}
		'$GUEST_BUILD/ktrace-hw' record -o '$WORK/r/bare' -- '$PROGRAM' \
			/tmp/file >'$WORK/r/bare.out'
		record all vfs_read,__x64_sys_pread64
		record named 'vfs_read(count,pos=+0(pos):s64),do_unlinkat(name->name:string)'
		record plain 'vfs_read(\$arg3),do_unlinkat(+0(+0(\$arg2)):string)'
		record none no_such_function
		record wrong 'vfs_read(no_such_parameter)'
		record fsync vfs_fsync_range,ext4_sync_file /scratch/file
		cat /sys/kernel/tracing/dynamic_events >'$WORK/r/left'"
	python3 "$HERE/judge_arguments.py" "$KTRACE" "$WORK/r" "$KERNEL" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
	python3 "$HERE/comparison.py" "$KTRACE" "$WORK/r/named" \
		"$ROOT/docs/comparison.md" --args || FAILURES=$((FAILURES + 1))
}

main "$@"
