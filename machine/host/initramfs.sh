# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The guest's first file system: its init and the modules of its kernel.

# Sets INITRAMFS; it is made once per kernel and build of this project.
initramfs_ensure() {
	local name
	[[ -x $BUILD/$ARCH_GUEST_INIT ]] ||
		fail "$BUILD/$ARCH_GUEST_INIT is missing: run make (for arm64" \
			"it needs the compiler of Debian's gcc-aarch64-linux-gnu)"
	name=$(<"$KERNEL/release")-$(initramfs_key)
	INITRAMFS=$CACHE/initramfs/$name
	[[ ! -e $INITRAMFS ]] || return 0
	cache_lock
	mkdir -p "$CACHE/initramfs"
	cache_need_space 50 "the guest's first file system"
	# Removes archives of builds that are no longer used.
	find "$CACHE/initramfs" -type f -mtime +30 -delete
	say_verbose "making $INITRAMFS"
	initramfs_make
}

initramfs_key() {
	cat "$BUILD/$ARCH_GUEST_INIT" "$HERE"/{initramfs,modules,cpio}.sh \
		"$HERE/arch_$OPT_ARCH.sh" \
		"$KERNEL/modules/modules.builtin" | sha256sum | cut -c 1-16
}

initramfs_make() {
	local work
	work=$(cache_workspace initramfs)
	mkdir "$work/modules"
	modules_collect "$KERNEL" "$work/modules"
	{ initramfs_base "$work/modules" && cpio_end; } >"$work/image"
	mv "$work/image" "$INITRAMFS"
	rm -rf "$work"
}

initramfs_base() { # folder with the modules
	local file
	for file in dev proc sys modules; do
		cpio_folder "$file"
	done
	cpio_device dev/console 5 1
	cpio_file init "$BUILD/$ARCH_GUEST_INIT"
	for file in "$1"/*; do
		cpio_file "modules/${file##*/}" "$file"
	done
}
