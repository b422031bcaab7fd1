#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A function that a livepatch replaces is its replacement in the recording, from
# the call on; both engines agree while the kernel is patched. What is inlined in
# the module's function is known by the module's debug data. Needs the headers
# of the machine's kernel, a package, to build the module.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
readonly KERNEL=6.1 # its compiler is this Debian's

# Unpacks the headers into $WORK and makes the module there.
make_module() {
	local release version
	release=$("$MACHINE" run --discard --fast --kernel "$KERNEL" -- uname -r)
	version=${release%-*}
	mkdir "$WORK/headers" "$WORK/module"
	(
		cd "$WORK/headers"
		apt-get download "linux-headers-$release" \
			"linux-headers-$version-common" "linux-kbuild-$KERNEL"
		for package in *.deb; do
			dpkg-deb -x "$package" .
		done
		sed -i "s, /usr/src, $PWD/usr/src," \
			"usr/src/linux-headers-$release/Makefile"
		cp "$HERE/programs/kernel/patched.c" "$WORK/module"
		echo 'obj-m := patched.o' >"$WORK/module/Makefile"
		make -s -C "usr/src/linux-headers-$release" \
			M="$WORK/module" modules
		mkdir -p "$WORK/root/usr/lib/debug/lib/modules/$release"
		cp "$WORK/module/patched.ko" \
			"$WORK/root/usr/lib/debug/lib/modules/$release"
	) >"$WORK/module.log" 2>&1
}

calls() { # recording function
	"$KTRACE" sql --format=csv "$WORK/$1" \
		"SELECT count(*) FROM call WHERE function = '$2'" | tail -n 1
}


main() {
	skip_without_machine "$KERNEL"
	if ! make_module; then
		printf 'skipped: %s: no headers of kernel %s: %s\n' "${0##*/}" \
			"$KERNEL" "$(tail -n 1 "$WORK/module.log")"
		return
	fi
	"$MACHINE" run --discard --fast --kernel "$KERNEL" --timeout "$LIMIT_S" \
		--results "$WORK" -- bash "$HERE/livepatch_guest.sh" "$WORK" \
		"$KTRACE" "$WORK/module/patched.ko"
	for name in before patched after; do
		expect "$name: recorded" 0 "$(<"$WORK/$name.code")"
	done
	expect "before: the function" 2 "$(calls before cmdline_proc_show)"
	expect "before: no replacement" 0 "$(calls before patched_cmdline_proc_show)"
	expect "patched: the replacement" 2 \
		"$(calls patched patched_cmdline_proc_show)"
	expect "patched: it ran" "$(printf 'patched\npatched')" \
		"$(<"$WORK/patched.out")"
	expect "patched: what is inlined in it" 4 "$("$KTRACE" report --flat \
		--inlined --symfs "$WORK/root" -i "$WORK/patched" --format=csv |
		sed -n 's/^put_word (inlined),\([0-9]*\),.*/\1/p')"
	expect "during: the replacement" 1 \
		"$(calls during patched_cmdline_proc_show)"
	expect "after: the function again" 2 "$(calls after cmdline_proc_show)"
	expect "after: no replacement" 0 "$(calls after patched_cmdline_proc_show)"
}

main
