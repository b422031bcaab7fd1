#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests fetching: missing parts are reported, and cached parts need no network.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"

# Nothing listens on the discard port, so every download fails at once.
offline() {
	env http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 "$@"
}

fake_program() { # name script
	mkdir -p "$WORK/bin"
	printf '#!/bin/sh\n%s\n' "$2" >"$WORK/bin/$1"
	chmod +x "$WORK/bin/$1"
}

test_old_qemu() {
	fake_program old-qemu 'echo "QEMU emulator version 7.2.22 (Debian)"'
	run --qemu "$WORK/bin/old-qemu" -- true
	expect_failure "QEMU too old" 125 \
		'QEMU 7.2.22 \(plugin API 4 or older\), too old'
	fake_program no-qemu 'echo hello'
	run --qemu "$WORK/bin/no-qemu" -- true
	expect_failure "not a QEMU" 125 'is not a QEMU'
}

# Other programs are the system's; pauses take no time.
with_fakes() {
	PATH=$WORK/bin:$PATH XDG_CACHE_HOME=$WORK/cache capture "$@"
}

test_offline() {
	# shellcheck disable=SC2016 # the fake's own
	fake_program sleep 'echo "paused $1 s" >&2'
	with_fakes offline "$MACHINE" fetch
	expect_failure "offline" 125 'paused 10 s.*paused 30 s.*offline'
	expect_failure "offline: progress" 125 "reading Debian's package lists"
	with_fakes offline "$MACHINE" fetch -q
	expect_failure "offline, quietly" 125 offline
	expect "--quiet: only the failure" "" \
		"$(grep -E 'reading|trying' <<<"$ERR" || true)"
	rm "$WORK/bin/sleep"
}

# A mirror that is readable at the third attempt and lacks files that its lists
# name.
fake_apt() {
	fake_program apt-cache \
		'printf "Version: 7.3.4\nDepends: linux-base-amd64 (= 7.3.4), linux-image-7.3.4 (= 7.3.4), linux-modules-amd64\n"
		printf "Version: 6.12.1\nDepends: linux-image-6.12.1\n"'
	fake_program apt-get "$(
		cat <<-'END'
			case $* in
			*print-uris*)
				echo "'http://m/dists/trixie/main/binary-all/Packages.xz'"
				exit ;;
			*install*) step=install ;;
			*update) step=update ;;
			*) exit ;;
			esac
			echo $step >>"$0.calls"
			[ $step = update ] && [ "$(grep -c update "$0.calls")" -gt 2 ]
		END
	)"
}

test_passing_trouble() {
	fake_program sleep :
	fake_program new-qemu 'echo "QEMU emulator version 11.1.3"'
	fake_apt
	with_fakes "$MACHINE" fetch --qemu "$WORK/bin/new-qemu"
	expect_failure "passing trouble" 125 'cannot download linux-image-6.12.1'
	expect "what fails is done again, with new lists" \
		"update update update install update install update install" \
		"$(paste -sd ' ' "$WORK/bin/apt-get.calls")"
	# The image is not the first dependency of newer metapackages.
	with_fakes "$MACHINE" fetch --kernel 7.3 --qemu "$WORK/bin/new-qemu"
	expect_failure "the image's package" 125 \
		'cannot download linux-image-7.3.4:'
	rm "$WORK"/bin/{sleep,apt-get,apt-cache}
}

test_no_space() {
	fake_program df "printf 'F 1M U A C M\n/dev/x 9 9 7 99%% /\n'"
	with_fakes "$MACHINE" fetch
	expect_failure "no disk space" 125 \
		"no disk space: .* needs [0-9]+ MB in .*, 7 MB are free"
	rm "$WORK/bin/df"
}

test_all_there() {
	capture offline "$MACHINE" fetch
	expect "all there: no network" 0 "$CODE"
}

# A user without a cache of his own uses the shared one; files that he creates
# are not shared.
test_shared() {
	local own=$WORK/own/ktrace-hw
	local -a user=(env XDG_CACHE_HOME="$WORK/own"
		KTRACE_SHARED_CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw")
	capture offline "${user[@]}" "$MACHINE" "${RUN[@]}" -- uname -r
	expect "shared: no network" 0 "$CODE"
	expect "shared: no kernel of one's own" "initramfs states" \
		"$(find "$own" -mindepth 1 -maxdepth 1 ! -name building \
			! -name lock -printf '%f\n' | sort | paste -sd ' ')"
	: >"$own/notes"
	capture "${user[@]}" "$MACHINE" clean
	expect "clean" "0 machine: $own: 1" \
		"$CODE $(sed -E 's/1[0-9]{2} MB removed/1/' <<<"$ERR")"
	expect "clean leaves what is not the machine's" notes "$(ls -A "$own")"
	capture "${user[@]}" "$MACHINE" clean --all
	expect_failure "clean: wrong usage" 2 "clean takes only --shared"
}

test_clean_shared() {
	mkdir -p "$WORK/shared/kernels/6.12"
	capture env XDG_CACHE_HOME="$WORK/own" \
		KTRACE_SHARED_CACHE="$WORK/shared" "$MACHINE" clean --shared
	expect "clean --shared" 0 "$CODE"
	expect_failure "clean --shared says where" 0 "$WORK/shared: .* removed"
	expect "clean --shared: nothing is left" "" "$(find "$WORK" -path '*/shared*')"
}

# Kernel, QEMU and root file system.
test_arm64() {
	capture offline "$MACHINE" fetch --arch arm64
	expect "arm64 all there: no network" 0 "$CODE"
	capture "$MACHINE" fetch --arch arm64 --kernel 5.99
	expect_failure "arm64: no such kernel" 125 \
		'offers no kernel 5.99 \(offered: '
	run --arch arm64 --root "$WORK/none" -- true
	expect_failure "arm64: no root" 2 "no folder .*/none"
	capture "$MACHINE" run --arch vax -- true
	expect_failure "no such architecture" 2 'vax'
}

# Lists that were read within the last hour are not read again.
test_no_such_kernel() {
	capture "$MACHINE" fetch --kernel 5.99
	expect_failure "no such kernel" 125 'offers no kernel 5.99 \(offered: '
	capture offline "$MACHINE" fetch --kernel 5.99
	expect_failure "no such kernel, no network" 125 \
		'offers no kernel 5.99 \(offered: '
}

test_kernel_without_modules() {
	local kernel=$WORK/kernel
	mkdir -p "$kernel/modules"
	: >"$kernel/vmlinuz"
	echo 1.2.3-test >"$kernel/release"
	: >"$kernel/modules/modules.builtin"
	run --kernel "$kernel" -- true
	expect_failure "kernel without modules" 125 \
		'kernel 1.2.3-test has no module [a-z0-9_]+, which'
	run --kernel "$WORK/none" -- true
	expect_failure "no kernel folder" 125 'not a kernel folder'
}

test_offline
test_passing_trouble
test_no_space
skip_without_machine 6.12
test_old_qemu
test_all_there
test_shared
test_clean_shared
test_no_such_kernel
test_kernel_without_modules
skip_without_machine 6.12 --arch arm64
test_arm64
