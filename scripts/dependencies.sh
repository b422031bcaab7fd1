#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what building and testing needs, from Debian, if it is missing.
set -euo pipefail

# What each is for: docs/architecture.md, "Libraries".
PACKAGES=(
	gcc make pkg-config libc6-dev
	libipt-dev libopencsd-dev libelf-dev libdw-dev libzstd-dev
	libtraceevent-dev libglib2.0-dev check libunwind-dev
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
	binutils linux-perf busybox-static shellcheck e2fsprogs xz-utils zstd time
	ca-certificates
	debian-archive-keyring libprotobuf-dev protobuf-compiler python3
)

missing() {
	local package state
	for package in "${PACKAGES[@]}"; do
		state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) ||
			state=''
		[[ $state == 'install ok installed' ]] || printf '%s\n' "$package"
	done
}

as_root() {
	if ((EUID == 0)); then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		printf 'ktrace-hw: run this as root, or install sudo: %s\n' \
			"$*" >&2
		return 1
	fi
}

mapfile -t wanted < <(missing)
if ((${#wanted[@]} == 0)); then
	echo "== everything needed is installed"
	exit 0
fi
echo "== installing ${wanted[*]}"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	--no-install-recommends "${wanted[@]}" >/dev/null
