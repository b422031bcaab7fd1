# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The cache folder. Files and folders in it are complete, because they are
# renamed to their final name last.

# Sets CACHE. Services have no HOME; then the user's home directory is taken
# from the password database. A relative path is ignored, as the XDG Base
# Directory Specification requires. Without any directory, CACHE is a path that
# cannot be created, and cache_open() reports that.
cache_choose() {
	local base=${XDG_CACHE_HOME:-} home=${HOME:-}
	[[ $home == /?* ]] ||
		home=$(getent passwd "$(id -u)" | cut -d : -f 6) || home=
	[[ $base == /?* ]] || base=$home/.cache
	[[ $base != /.cache ]] || base=/dev/null
	CACHE=$base/ktrace-hw
}
cache_choose

# Files that `machine fetch --shared` stored there are available to every user.
SHARED_CACHE=${KTRACE_SHARED_CACHE:-/var/cache/ktrace-hw}
readonly SHARED_CACHE

# Makes later calls fetch to and remove from the shared cache.
cache_use_shared() {
	CACHE=$SHARED_CACHE
}

# Sets FOUND to the path of a file or folder: in the user's cache or, if it is
# missing there, in the shared one; in the user's if it is in neither.
cache_find() { # name
	FOUND=$CACHE/$1
	[[ -e $FOUND || ! -e $SHARED_CACHE/$1 ]] || FOUND=$SHARED_CACHE/$1
}

cache_open() {
	mkdir -p "$CACHE" || fail "cannot create the cache folder $CACHE:" \
			"set HOME or XDG_CACHE_HOME"
	[[ -w $CACHE ]] || fail "cannot write in the cache folder $CACHE"
}

# Only one process at a time may change the cache; the lock ends with the
# process.
cache_lock() {
	[[ -z ${CACHE_LOCK:-} ]] || return 0
	cache_open
	exec {CACHE_LOCK}>"$CACHE/lock"
	flock -n "$CACHE_LOCK" && return
	say_progress "waiting for another run that is filling $CACHE"
	run_child flock "$CACHE_LOCK"
}

# The machine must not hold the lock while it runs.
cache_unlock() {
	[[ -n ${CACHE_LOCK:-} ]] || return 0
	exec {CACHE_LOCK}>&-
	unset CACHE_LOCK
}

cache_free_mb() {
	df -Pm "$CACHE" | awk 'NR == 2 { print $4 }'
}

cache_has_space() { # megabytes
	(($(cache_free_mb) >= $1))
}

cache_need_space() { # megabytes purpose
	cache_has_space "$1" ||
		fail "no disk space: $2 needs $1 MB in $CACHE," \
			"$(cache_free_mb) MB are free"
}

# Creates a folder to build in, after removing leftovers of an interrupted run.
cache_workspace() { # name
	local folder=$CACHE/building/$1
	rm -rf "$folder"
	mkdir -p "$folder"
	printf '%s\n' "$folder"
}

# Renaming is the last step, so a folder with its final name is complete.
cache_keep() { # workspace final-name
	mkdir -p "$(dirname "$2")"
	rm -rf "$2"
	mv -T "$1" "$2"
}

cache_size_mb() {
	du -sm "$CACHE" 2>/dev/null | cut -f 1
}

# The folder may contain files that are not ours. A running machine has already
# opened the files it needs; a machine that is being fetched holds the lock.
cache_clean() {
	[[ -d $CACHE ]] || { say "$CACHE: there is nothing" && return; }
	local before after
	cache_lock
	before=$(cache_size_mb)
	rm -rf "$CACHE"/{apt,apt-arm64,building,device-trees,initramfs,kernels} \
		"$CACHE"/{qemu,qemu-arm64,roots,states} ||
		fail "cannot remove all of $CACHE"
	after=$(cache_size_mb)
	rm -f "$CACHE/lock"
	rmdir "$CACHE" 2>/dev/null || true
	say "$CACHE: $((before - after)) MB removed"
}
