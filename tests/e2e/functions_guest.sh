#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: makes the recordings NAME... in the folder $1 by
# the program $2.  functions.sh judges them.
set -euo pipefail
RESULTS=$1
KTRACE=$2
shift 2
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
# shellcheck source=tests/e2e/guest_run.sh
source "$HERE/guest_run.sh"
# Memory of the guest's own: writing elsewhere is kernel work, which -a records.
mkdir /dev/shm/work
cd /dev/shm/work

record() { # name option...
	"$KTRACE" record -o "$1" --events=sched "${@:2}" >"$1.out" 2>"$1.err"
}

# A file that has to be read from the disk.
make_file() {
	head -c 500000 "$KTRACE" >/scratch/file
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# A module's file, which Debian 13 has compressed.
unpack_module() { # place in the kernel's tree
	local file
	file=$(echo "/lib/modules/$(uname -r)/kernel/$1.ko"*)
	if [[ $file == *.xz ]]; then
		busybox xzcat "$file" >"${1##*/}.ko"
	else
		cp "$file" "${1##*/}.ko"
	fi
}

run_one() { # name
	local pipe='cat input | tr a b | wc -c'
	head -c 20000 "$KTRACE" >input
	case $1 in
	ls) record ls -- ls -R /etc/alternatives /etc/security ;;
	pipe) record pipe -- sh -c "$pipe" ;;
	disk)
		make_file
		record disk -- cat /scratch/file
		;;
	sleep) record sleep -- sh -c 'sleep 0.01; sleep 0.02' ;;
	all) record all -a -- sh -c "$pipe" ;;
	disk-all)
		make_file
		record disk-all -a -- cat /scratch/file
		;;
	sleep-all) record sleep-all -a -- sh -c 'sleep 0.01; sleep 0.02' ;;
	events) record events -a --events sched,irq,syscalls,faults -- sh -c "$pipe" ;;
	modules)
		unpack_module drivers/net/dummy
		record modules -a -- busybox insmod dummy.ko numdummies=2
		rm dummy.ko
		;;
	bpf)
		record bpf -a -- "${KTRACE%/*}/tests/e2e/programs/load_bpf"
		# For the judge of the recording's own symbols.
		grep '\[bpf\]' /proc/kallsyms >bpf.names
		kill "$(<bpf.out)"
		;;
	# The patched code is in the scheduler, which the other CPU executes
	# meanwhile.
	patches)
		# shellcheck disable=SC2016 # the shell that is recorded expands it
		record patches -a --buffer 64M -- sh -c '
			while [ ! -e patched ]; do
				ls /etc/security
			done | wc -l &
			for i in 1 0; do
				echo $i >/proc/sys/kernel/sched_schedstats
			done
			touch patched
			wait'
		rm patched
		;;
	echo) record echo -- sh -c 'echo hello | cat' ;;
	echo-all) record echo-all -a --buffer 64M -- sh -c 'echo hello | cat' ;;
	*)
		printf '%s: no recording is called %s\n' "$HERE" "$1" >&2
		return 2
		;;
	esac
}

# From the first recording on, until code is loaded.
MAY_HOLD=1
for name in "$@"; do
	if [[ $name == modules || $name == bpf ]]; then
		[[ ! -e /dev/shm/kallsyms ]] || release_symbols
		MAY_HOLD=0
	fi
	run_one "$name"
	((!MAY_HOLD)) || hold_symbols
done
rm -f input
save_results "${KTRACE%/*}"
