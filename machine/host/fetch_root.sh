# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # the other parts read what is set here
# A root file system for guests of another architecture than the host's:
# Debian 13's packages, unpacked.  Their scripts are not run here, so the files
# that these would create are made below.
#
# Programs for users and tests, perf as the reference, and the libraries that a
# cross-built ktrace-hw needs.
readonly ROOT_PACKAGES=(
	base-files bash busybox-static coreutils dash diffutils findutils gawk
	grep gzip mount procps sed tar util-linux
	libdw1t64 libelf1t64 libopencsd1 libtraceevent1 libunwind8 libzstd1
	zlib1g
	linux-perf
)

# Sets ROOT; rebuilds it if the list of packages has changed.
root_ensure() { # Debian's name of the architecture
	local FOUND
	cache_find "roots/$1"
	ROOT=$FOUND
	! root_is_current || return 0
	ROOT=$CACHE/roots/$1
	cache_lock
	! root_is_current || return 0
	root_fetch "$1"
}

root_is_current() {
	[[ -r $ROOT/.packages ]] &&
		[[ $(<"$ROOT/.packages") == "${ROOT_PACKAGES[*]}" ]]
}

root_fetch() { # architecture
	local folder
	apt_use "$1"
	apt_update
	folder=$(cache_workspace "root-$1")
	cache_need_space 700 "the root file system for $1"
	say_progress "fetching a root file system for $1 (about 80 MB)"
	apt_unpack "$folder" "${ROOT_PACKAGES[@]}"
	root_tidy "$folder"
	printf '%s\n' "${ROOT_PACKAGES[*]}" >"$folder/.packages"
	cache_keep "$folder" "$ROOT"
}

root_tidy() { # folder
	rm -rf "${1:?}"/usr/share/{doc,man,locale,info,lintian,zoneinfo}
	mkdir -p "$1"/{dev,proc,sys,run,tmp,root}
	chmod 1777 "$1/tmp"
	root_accounts "$1/etc"
	ln -sf gawk "$1/usr/bin/awk"
}

# The files that base-passwd's script would copy.
root_accounts() { # folder
	printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/sh\n' \
		>"$1/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$1/group"
	printf 'passwd: files\ngroup: files\n' >"$1/nsswitch.conf"
}
