#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --syscalls and timeline --syscalls on programs whose system calls are
# known by construction; perf counts them too. docs/comparison.md has the output
# of one of them.
#
#	attribution_syscalls.sh [--arm64] [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_machine "$@"
CASES=(errors child restart bare copy)

# Debian's kernels have x32, but it has to be enabled at boot. What strace writes
# of call_data is compared with what is recorded of it.
record_abis() {
	in_machine --append syscall.x32=y --results "$WORK" -- sh -ec "
		cd /dev/shm
		'$KTRACE' record -o abis --events=attribution,all -- \
			'$GUEST_BUILD/tests/e2e/programs/abis' >abis.out
		mkdir data.files
		'$KTRACE' record -o data --syscall-data -- \
			'$GUEST_BUILD/tests/e2e/programs/call_data' \
			/dev/shm/data.files 2>data.err
		strace -f -yy -o data.strace \
			'$GUEST_BUILD/tests/e2e/programs/call_data' \
			/dev/shm/data.files
		cp -r abis abis.out data data.err data.strace '$WORK'"
}

# In a container processes have other numbers than in the kernel.
record_in_container() {
	in_machine --results "$WORK" -- unshare --pid --fork --mount-proc sh -ec "
		while cat /etc/hostname; do sleep 0.1; done >/dev/null &
		'$KTRACE' record -o /dev/shm/container --syscall-data -p \$! \
			--duration 1
		kill \$!
		cp -r /dev/shm/container '$WORK'"
	expect_that "the data of a container's process is recorded" "$(
		"$KTRACE" timeline --syscalls -i "$WORK/container" \
			2>/dev/null | grep -c '"/etc/hostname"'
	)" -ge 5
}

main() {
	need perf
	need python3
	((IS_ARM64)) || need strace
	skip_without_machine "$KERNEL"
	make_programs
	record_waits "$KERNEL" "$CPUS" 2 "${CASES[@]}"
	if ((!IS_ARM64)); then
		record_abis
		record_in_container
		CASES+=(abis)
		python3 "$HERE/judge_call_data.py" "$KTRACE" "$WORK/data" \
			"$WORK/data.strace" || FAILURES=$((FAILURES + 1))
	fi
	python3 "$HERE/judge_syscalls.py" "$KTRACE" "$WORK" "$CPUS" "${CASES[@]}" ||
		FAILURES=$((FAILURES + 1))
	if [[ $IS_ARM64-$KERNEL-$CPUS == 0-6.12-1 ]]; then
		python3 "$HERE/comparison.py" "$KTRACE" "$WORK/copy" \
			"$ROOT/docs/comparison.md" || FAILURES=$((FAILURES + 1))
	fi
}

main "$@"
