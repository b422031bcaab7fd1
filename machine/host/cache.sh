# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The cache folder: what is in it is whole, because it got its name last.
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw
readonly CACHE

cache_open() {
	mkdir -p "$CACHE" || fail "cannot create the cache folder $CACHE"
	[[ -w $CACHE ]] || fail "cannot write in the cache folder $CACHE"
}

# One process at a time changes the cache; the lock ends with the process.
cache_lock() {
	[[ -z ${CACHE_LOCK:-} ]] || return 0
	cache_open
	exec {CACHE_LOCK}>"$CACHE/lock"
	flock -n "$CACHE_LOCK" && return
	say "waiting for another run that is filling $CACHE"
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

# A folder to build in; what an interrupted run left there goes first.
cache_workspace() { # name
	local folder=$CACHE/building/$1
	rm -rf "$folder"
	mkdir -p "$folder"
	printf '%s\n' "$folder"
}

# Renaming is the last step, so a folder under its own name is complete.
cache_keep() { # workspace final-name
	mkdir -p "$(dirname "$2")"
	rm -rf "$2"
	mv -T "$1" "$2"
}
