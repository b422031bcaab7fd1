#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records the cases of tests/e2e/programs/waits
# named after the folder $1, the recorder $2 and the program $3, each into a
# folder of its own name.
set -euo pipefail
RESULTS=$1 KTRACE=$2 WAITS=$3
shift 3
# In the guest's memory: writing to the host's folder is much kernel work.
cd "$(mktemp -d)"

record() { # name option... -- command...
	local name=$1
	shift
	"$KTRACE" record -o "$name" "$@" >"$name.out" 2>"$name.err" || {
		cat "$name.err"
		return 1
	}
}

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
		record "$1" --events=attribution -- \
			"$WAITS" "$1" /scratch/source
		;;
	copy)
		make_file 10
		record copy --buffer 64M --events=attribution -- \
			"$WAITS" copy /scratch/source /scratch/sink
		;;
	stacks)
		record stacks --events=attribution --user-stacks -- "$WAITS" time
		;;
	static)
		# What an arm64 kernel keeps on the stack for a signal takes 4.6 KiB.
		record static --events=attribution --user-stacks=6K -- \
			"$WAITS-static" time
		;;
	bare) record bare -- "$WAITS" child ;;
	*) record "$1" --events=attribution -- "$WAITS" "$1" ;;
	esac
	cp -r "$1" "$1".* "$RESULTS"
}

for one in "$@"; do
	one_case "$one"
done
