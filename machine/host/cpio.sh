# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Writes a cpio archive in the format that the kernel unpacks as its first file
# system (Documentation/driver-api/early-userspace/buffer-format.rst). Times,
# owners and inode numbers depend only on the contents.
CPIO_INODE=0

cpio_header() { # name mode size device-major device-minor
	local LC_ALL=C
	CPIO_INODE=$((CPIO_INODE + 1))
	printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X' \
		"$CPIO_INODE" "$2" 0 0 1 0 "$3" 0 0 "$4" "$5" \
		$((${#1} + 1)) 0
	printf '%s\0' "$1"
	cpio_pad $((110 + ${#1} + 1))
}

cpio_pad() { # bytes written
	local zeros=$(((4 - $1 % 4) % 4))
	((zeros == 0)) || head -c "$zeros" /dev/zero
}

cpio_folder() { # name
	cpio_header "$1" $((0040755)) 0 0 0
}

cpio_device() { # name major minor
	cpio_header "$1" $((0020600)) 0 "$2" "$3"
}

cpio_link() { # name target
	local LC_ALL=C
	cpio_header "$1" $((0120777)) ${#2} 0 0
	printf '%s' "$2"
	cpio_pad ${#2}
}

cpio_file() { # name file
	local size mode=$((0100644))
	size=$(stat -L -c %s "$2")
	[[ ! -x $2 ]] || mode=$((0100755))
	cpio_header "$1" "$mode" "$size" 0 0
	cat "$2"
	cpio_pad "$size"
}

cpio_end() {
	cpio_header 'TRAILER!!!' 0 0 0 0
}
