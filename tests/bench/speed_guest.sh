#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: recordings of 20 MB of trace or more, and a short
# one, into the folder $1, by the program $2.
set -euo pipefail
RESULTS=$1
KTRACE=$2
cd "$(mktemp -d)"

# Kernel work of many kinds.
# shellcheck disable=SC2016 # for the shell that is recorded
"$KTRACE" record -a -o kernel -- sh -c '
	dd if=/dev/zero of=zero bs=64k count=64 2>/dev/null
	for i in 1 2 3 4; do tar cf - /etc | cat | wc -c; done
	ls -lR /etc | sort | wc -l' >/dev/null 2>&1
mv kernel "$RESULTS"

# Loads many modules, which only have to exist; loading may fail for one that
# needs another one first.
for file in "/lib/modules/$(uname -r)/kernel/fs/nls/"*.ko*; do
	# Copies uncompressed files unchanged, as in Debian 12.
	xz -dcf "$file" >module.ko
	busybox insmod module.ko 2>/dev/null || true
done
test "$(wc -l </proc/modules)" -gt 40

# Modules and kernel text in turn: each file is opened and read through three.
"$KTRACE" record -o modules -- \
	find /usr/share/doc -name copyright -size -64k -exec cat '{}' + \
	>/dev/null 2>&1
mv modules "$RESULTS"

# Programs and libraries, and switches between them.
"$KTRACE" record --user -a -o user -- sh -c '
	ls -lR /etc | sort | head -100 | sed s/a/b/ | wc -l
	for i in 1 2 3 4 5 6 7 8; do grep -r localhost /etc/ssl | wc -l; done' \
	>/dev/null 2>&1
mv user "$RESULTS"

# To be repeated for many CPUs.
"$KTRACE" record -a -o short -- ls -l /etc/default >/dev/null 2>&1
mv short "$RESULTS"
