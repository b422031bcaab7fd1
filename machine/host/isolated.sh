# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The isolated machine: the command, the libraries it needs and the named files
# are put into the guest's first file system together with its settings, so that
# the guest needs nothing of the host while the command runs.

# Replaces INITRAMFS by a longer one: the kernel unpacks concatenated archives
# one after the other. The file is unlinked, so it is removed in any case.
isolated_initramfs() {
	local file fd program
	program=$(type -P "${COMMAND_LINE[0]}") || {
		say "${COMMAND_LINE[0]}: No such file or directory"
		exit "$EXIT_NOT_FOUND"
	}
	file=$(mktemp)
	exec {fd}<>"$file"
	rm "$file"
	{ cat "$INITRAMFS" && isolated_archive "$program"; } >"/proc/$BASHPID/fd/$fd"
	INITRAMFS=/proc/self/fd/$fd
}

isolated_archive() { # program
	local file settings
	declare -A ISOLATED_SEEN=()
	for file in "$1" "${OPT_EXTRA_FILES[@]}"; do
		isolated_add "$(realpath -s "$file")"
	done
	isolated_parents "$PWD/."
	isolated_parents /tmp/.
	settings=$(mktemp)
	isolated_settings >"$settings"
	cpio_file settings "$settings"
	rm "$settings"
	cpio_end
}

isolated_settings() {
	local word
	machine_settings
	printf 'cwd=%s\0' "$PWD"
	for word in "${COMMAND_LINE[@]}"; do
		printf 'arg=%s\0' "$word"
	done
	# A fixed environment, since the caller's would make runs differ.
	printf 'env=%s\0' PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
}

# Adds a file or folder at the same path, with the libraries it needs.
isolated_add() { # absolute path
	local file library
	if [[ -d $1 ]]; then
		while IFS= read -r file; do
			isolated_add "$file"
		done < <(find "$1" -type f -o -type l | sort)
		return
	fi
	[[ -e $1 ]] || fail "--include: there is no $1"
	[[ -z ${ISOLATED_SEEN[$1]:-} ]] || return 0
	ISOLATED_SEEN[$1]=1
	isolated_parents "$1"
	cpio_file "${1#/}" "$1"
	while IFS= read -r library; do
		isolated_add "$library"
	done < <(isolated_libraries "$1")
}

isolated_parents() { # absolute path
	local folder=${1%/*}
	[[ -n $folder && -z ${ISOLATED_SEEN[$folder]:-} ]] || return 0
	isolated_parents "$folder"
	ISOLATED_SEEN[$folder]=1
	cpio_folder "${folder#/}"
}

isolated_libraries() { # file
	[[ $(head -c 4 "$1" | tr -d '\0') == $'\177ELF' ]] || return 0
	{ ldd "$1" 2>/dev/null || true; } |
		sed -n 's/.*=> \(\/[^ ]*\) (.*/\1/p; s/^\t\(\/[^ ]*\) (.*/\1/p'
}
