#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records the cases $4..., of the programs waits
# and calls in the folder $3, by the recorder $2, each into a folder with its
# name in $1.
set -euo pipefail
RESULTS=$1 KTRACE=$2 WAITS=$3/waits CALLS=$3/calls
shift 3
# shellcheck source=tests/e2e/guest_record.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_record.sh"

# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"

# A file that is on the disk only.
make_file() { # size in MiB
	dd if=/dev/urandom of=/scratch/source bs=1M count="$1" status=none
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

one_case() { # name
	case $1 in
	disk | chain)
		make_file 8
		record "$1" --events=attribution,all -- \
			"$WAITS" "$1" /scratch/source
		;;
	copy)
		make_file 10
		record copy --buffer 64M --events=attribution,all -- \
			"$CALLS" copy /scratch/source /scratch/sink
		;;
	errors | restart) record "$1" --events=attribution,all -- "$CALLS" "$1" ;;
	stacks)
		# With the environment: it is up to 8 KiB above main()'s frame,
		# at random, and a never written page between would end the
		# copy. So randomisation is disabled.
		echo 0 >/proc/sys/kernel/randomize_va_space
		KTRACE_SECRET=none record stacks --events=attribution,all \
			--user-stacks=32K -- "$WAITS" time
		echo 2 >/proc/sys/kernel/randomize_va_space
		;;
	static)
		# The signal frame of an arm64 kernel takes 4.6 KiB of the
		# stack.
		record static --events=attribution,all --user-stacks=6K -- \
			"$WAITS-static" time
		;;
	bare) record bare --events=none -- "$WAITS" child ;;
	*) record "$1" --events=attribution,all -- "$WAITS" "$1" ;;
	esac
}

(($# == 1)) || hold_symbols
for one in "$@"; do
	one_case "$one"
done
save_results "${KTRACE%/*}"
