#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the ground truth of one program with QEMU's own execution log.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

readonly TOOL=${KTRACE_MACHINE_BUILD:-$HERE/../../build/machine}/tests/tool_exec_log
readonly START=10000000 END=10100000

# Writes a program for --qemu: the machine's QEMU with a monitor.
write_qemu() { # file
	local arguments
	arguments="-D '$WORK/log' -dfilter 0x$START..0x$END
		-chardev pipe,id=monitor,path=$WORK/monitor
		-mon chardev=monitor,mode=readline"
	cat >"$1" <<-END
		#!/bin/bash
		if [[ \${1:-} == --version ]]; then
			exec $QEMU --version
		fi
		exec $QEMU ${arguments//$'\n'/ } "\$@"
	END
	chmod +x "$1"
}

# Logging is slow, so it is enabled only while the program runs, which waits for
# the file "go" and creates the file "done".
switch_log() {
	await "$WORK/ready"
	printf 'log exec,nochain\n' >&3
	touch "$WORK/go"
	await "$WORK/done"
	printf 'log none\n' >&3
}

await() { # file
	local i
	for ((i = 0; i < 3000; i++)); do
		[[ ! -e $1 ]] || return 0
		sleep 0.1
	done
	return 1
}

# Finds the QEMU that the machine fetched, or the system's.
find_qemu() {
	local unpacked=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/qemu/usr
	local libraries=$unpacked/lib/x86_64-linux-gnu
	QEMU=qemu-system-x86_64
	[[ ! -d $unpacked ]] ||
		QEMU="$libraries/ld-linux-x86-64.so.2 --library-path $libraries
			$unpacked/bin/qemu-system-x86_64
			-L $unpacked/share/qemu -L $unpacked/share/seabios"
	QEMU=${QEMU//$'\n'/ }
}

build_program() {
	"${CC:-cc}" -O1 -static -nostdlib -ffreestanding -fcf-protection=none \
		-fno-stack-protector -no-pie -Wl,-Ttext-segment=0x$START \
		-o "$WORK/program" "$HERE/guest/exec_log.c"
	objdump -d "$WORK/program" | awk '
		$0 ~ /\t(j|call|ret|syscall|loop|iret)/ {
			sub(":", "", $1); print $1 }' >"$WORK/branches"
}

main() {
	local reader switch failed=0
	skip_without_machine 6.12
	find_qemu
	build_program
	write_qemu "$WORK/qemu"
	mkfifo "$WORK/monitor.in" "$WORK/monitor.out"
	exec 3<>"$WORK/monitor.in" 4<>"$WORK/monitor.out"
	cat <&4 >/dev/null &
	reader=$!
	switch_log &
	switch=$!
	"$MACHINE" run --qemu "$WORK/qemu" --results "$WORK" --truth "$WORK" \
		--timeout "$LIMIT_S" -- bash "$HERE/conformance_guest.sh" "$WORK" \
		--program "$WORK/program" || failed=1
	kill "$reader" "$switch" 2>/dev/null || true
	((failed == 0))
	"$TOOL" "$WORK/truth.0" "$WORK/log" "$WORK/branches" $START $END
}

main
