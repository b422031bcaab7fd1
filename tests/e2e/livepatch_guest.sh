#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records readers of /proc/cmdline before, while
# and after the module $3 patches the function that writes it, with the recorder
# $2, into the folder $1.
set -euo pipefail
RESULTS=$1 KTRACE=$2 MODULE=$3
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"
cd "$(mktemp -d)"
STATE=/sys/kernel/livepatch/patched

reader() { # name
	run "$1" "$KTRACE" record -o "$1" -- cat /proc/cmdline /proc/cmdline
}

is_settled() {
	[[ $(<"$STATE/transition") == 0 ]]
}

# The module is loaded during the recording, whose tasks the kernel moves to the
# new function one by one.
patching() {
	# shellcheck disable=SC2016 # for the shell that is recorded
	run during "$KTRACE" record -a -o during -- \
		bash -c 'busybox insmod "$1"; cat /proc/cmdline' bash "$MODULE"
	await_from $$ during.err is_settled
}

reader before
patching
reader patched
echo 0 >"$STATE/enabled"
await_from $$ during.err test ! -e "$STATE"
reader after
save_results "${KTRACE%/*}"
