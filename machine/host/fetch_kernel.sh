# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Debian's kernels: the newest of a series, with its modules.
#
# kernels/<release>/ holds the package's files, plus vmlinux; the link
# kernels/<series> points to the newest release fetched (kernels/arm64-<series>
# for arm64).

kernel_fetch() { # series or version
	local versions package release folder
	versions=$(kernel_versions)
	package=$(kernel_package "$1" <<<"$versions")
	[[ -n $package ]] ||
		fail "Debian offers no kernel $1 (offered: $(kernel_offered <<<"$versions"))"
	release=${package#linux-image-}
	if [[ ! -d $CACHE/kernels/$release ]]; then
		folder=$(cache_workspace kernel)
		cache_need_space 800 "kernel $release"
		say_progress "fetching kernel $release (70 to 110 MB)"
		apt_unpack "$folder" "$package"
		kernel_tidy "$folder" "$release"
		cache_keep "$folder" "$CACHE/kernels/$release"
	fi
	ln -sfn "$release" "$CACHE/kernels/$ARCH_KERNEL_PREFIX$1"
}

# The metapackage's versions equal the kernel's: 6.12.107-1. Since 7.x it
# depends on more than the image, which is no longer its first dependency.
kernel_versions() {
	apt_show "$ARCH_KERNEL_PACKAGE" |
		awk '/^Version:/ { version = $2 }
		     /^Depends:/ && match($0, /linux-image-[^ ,]+/) {
			print version, substr($0, RSTART, RLENGTH)
		     }' | sort -rV
}

# Chooses among the versions on standard input.
kernel_package() { # series or version
	awk -v wanted="$1" '
		index($1, wanted ".") == 1 || index($1, wanted "-") == 1 ||
		$1 == wanted || $2 == "linux-image-" wanted { print $2; exit }'
}

kernel_offered() {
	awk '{ printf "%s%s", comma, $1; comma = ", " }'
}

# Debian 12's packages contain /lib/modules, Debian 13's /usr/lib/modules; since
# 7.x the kernel itself is in there, too.
kernel_tidy() { # folder release
	local modules=$1/lib/modules/$2
	[[ -d $modules ]] || modules=$1/usr/lib/modules/$2
	mv "$modules" "$1/modules"
	if [[ -e $1/modules/vmlinuz ]]; then
		mv "$1/modules/vmlinuz" "$1/vmlinuz"
	else
		mv "$1/boot/vmlinuz-$2" "$1/vmlinuz"
	fi
	rm -rf "${1:?}"/{boot,lib,usr,etc}
	printf '%s\n' "$2" >"$1/release"
	arch_unpack_kernel "$1/vmlinuz" "$1/vmlinux" || rm -f "$1/vmlinux"
}

# Sets KERNEL to the kernel's folder. A path is a folder like the cache's;
# anything else is a series or version of Debian's kernels.
kernel_ensure() { # kernel
	KERNEL=$1
	if [[ $1 == */* ]]; then
		[[ -r $1/vmlinuz && -r $1/release ]] ||
			fail "$1 has no vmlinuz and release: not a kernel folder"
		return
	fi
	local FOUND
	cache_find "kernels/$ARCH_KERNEL_PREFIX$1"
	KERNEL=$FOUND
	[[ ! -d $KERNEL ]] || return 0
	cache_lock
	[[ ! -d $KERNEL ]] || return 0
	apt_use "$ARCH_DEBIAN"
	apt_update
	kernel_fetch "$1"
}
