# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2153 # the parts share what is set here and there
# QEMU: the system's own if its plugin interface is new enough, else the one from
# Debian 13's backports, unpacked and run through its own dynamic linker.
#
# Plugin API 6 came with QEMU 10.2, API 7 with 11.1 (QEMU_PLUGIN_VERSION in
# include/plugins/qemu-plugin.h); set_pc, which the trace unit needs, is in
# 11.0 and later.
readonly QEMU_OLDEST=11.0

# Programs that the machine's scripts run by tool_run(): systems may lack them.
readonly QEMU_TOOLS=(e2fsprogs xz-utils zstd)

qemu_version() { # program and arguments...
	"$@" --version 2>/dev/null |
		sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p'
}

version_at_least() { # version oldest
	[[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]
}

qemu_plugin_api() { # version
	if version_at_least "$1" 11.1; then
		echo 7
	elif version_at_least "$1" 10.2; then
		echo 6
	elif version_at_least "$1" 10.0; then
		echo 5
	else
		echo "4 or older"
	fi
}

qemu_check() { # program
	local version
	version=$(qemu_version "$1") || version=
	[[ -n $version ]] || fail "$1 is not a QEMU: it shows no version"
	version_at_least "$version" "$QEMU_OLDEST" ||
		fail "$1 is QEMU $version (plugin API" \
			"$(qemu_plugin_api "$version")), too old: the trace" \
			"unit needs plugin API 6 or 7, QEMU $QEMU_OLDEST or newer"
	QEMU=("$1")
	QEMU_VERSION=$version
}

qemu_use_system() {
	local version
	version=$(qemu_version "$ARCH_QEMU_PROGRAM") || return 1
	[[ -n $version ]] && version_at_least "$version" "$QEMU_OLDEST" ||
		return 1
	QEMU=("$ARCH_QEMU_PROGRAM")
	QEMU_VERSION=$version
}

# Sets UNPACKED to the start of a command line that runs one of the unpacked
# programs.
qemu_unpacked() { # folder program
	local libraries=$1/usr/lib/x86_64-linux-gnu
	UNPACKED=("$libraries/ld-linux-x86-64.so.2" --library-path "$libraries"
		"$1/usr/bin/$2")
}

# Runs a program of the system, or else the one that was unpacked with QEMU.
tool_run() { # package program argument...
	local UNPACKED FOUND
	if command -v "$2" >/dev/null; then
		"${@:2}"
		return
	fi
	cache_find "$ARCH_QEMU_FOLDER/usr/bin/$2"
	[[ -x $FOUND ]] || need_program "$2" "$1"
	qemu_unpacked "${FOUND%/usr/bin/*}" "$2"
	"${UNPACKED[@]}" "${@:3}"
}

qemu_use_cached() {
	local UNPACKED FOUND root
	cache_find "$ARCH_QEMU_FOLDER/version"
	[[ -e $FOUND ]] || return 1
	root=${FOUND%/*}
	qemu_unpacked "$root" "$ARCH_QEMU_PROGRAM"
	QEMU=("${UNPACKED[@]}"
		-L "$root/usr/share/qemu" -L "$root/usr/share/seabios")
	QEMU_VERSION=$(<"$root/version")
}

qemu_fetch() {
	local UNPACKED folder root=$CACHE/$ARCH_QEMU_FOLDER
	folder=$(cache_workspace qemu)
	cache_need_space 400 QEMU
	say_progress "fetching QEMU from Debian 13's backports (about 37 MB)"
	apt_unpack "$folder" -t trixie-backports "${ARCH_QEMU_PACKAGES[@]}" \
		"${QEMU_TOOLS[@]}"
	ln -s ../sbin/mke2fs "$folder/usr/bin/mkfs.ext4"
	qemu_drop_unneeded "$folder"
	qemu_unpacked "$folder" "$ARCH_QEMU_PROGRAM"
	qemu_version "${UNPACKED[@]}" >"$folder/version" || true
	[[ -s $folder/version ]] || fail "the fetched QEMU does not start"
	cache_keep "$folder" "$root"
}

qemu_drop_unneeded() { # folder
	rm -rf "${1:?}"/usr/share/{doc,man,locale,icons,alsa,lintian} \
		"${1:?}"/usr/bin/qemu-system-i386 "${1:?}"/{etc,var}
}

# Sets QEMU (the command) and QEMU_VERSION; fetches only what is missing.
qemu_ensure() {
	if [[ -n ${OPT_QEMU:-} ]]; then
		qemu_check "$OPT_QEMU"
		return
	fi
	qemu_use_system || qemu_use_cached && return
	cache_lock
	qemu_use_cached && return
	apt_use amd64
	apt_update
	qemu_fetch
	qemu_use_cached
}
