#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the missing Debian packages that a task needs.
#	scripts/dependencies.sh start	recording, reports, the virtual machine
#	scripts/dependencies.sh [build]	also the page's server and stores in ClickHouse
#	scripts/dependencies.sh package	also make deb and tests/package/package.sh
#	scripts/dependencies.sh quick|usual|long	also the tests
#	scripts/dependencies.sh full	also the tests of the page in a browser, of zsh
#					and fish,
#					of packages and of clang, consumers of exports,
#					the documentation's site
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=apt.sh
source "$(dirname "$(realpath "$0")")/apt.sh"

# docs/architecture.md, "Libraries", describes each library.
START=(
	gcc make libc6-dev
	libipt-dev libopencsd-dev libzydis-dev libelf-dev libdw-dev libiberty-dev
	libzstd-dev zlib1g-dev libdeflate-dev
	libsqlite3-dev libedit-dev libxxhash-dev
)
# Verifies the packages that the virtual machine fetches.
START+=(debian-archive-keyring)
BUILD=(libmicrohttpd-dev libcurl4-openssl-dev liblz4-dev ca-certificates)
ARM64=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
PACKAGE=(build-essential debhelper debootstrap dpkg-dev lintian)
TEST=(e2fsprogs xz-utils zstd pkg-config check libunwind-dev sqlite3 qemu-user binutils linux-perf busybox-static
	shellcheck time procps libprotobuf-dev protobuf-compiler python3
	strace git curl python3-jsonschema)
FULL=(chromium chromium-driver zsh fish clang golang-go valgrind mkdocs rpm nix-bin
	gnupg rpmlint makepkg pacman-package-manager libarchive-tools buildah
	docker-compose libdevel-nytprof-perl python3-pandas babeltrace2 trace-cmd)
if grep -q '^VERSION_ID="12"' /etc/os-release; then
	# The release of clang-format that formats the tree: scripts/format.sh
	FULL+=(clang-format-14)
	# tests/e2e/store.sh runs a server, which only Debian 12 has, and only
	# for x86-64.
	if [[ $(dpkg --print-architecture) == amd64 ]]; then
		TEST+=(clickhouse-server clickhouse-client)
		FULL+=(libzookeeper-java default-jre-headless)
	fi
fi

TASK=${1:-build}
# Debian 13's gcc is 5 MB larger than its gcc-12. The Makefile finds both.
if [[ $TASK == start ]] && ! command -v cc >/dev/null &&
	grep -q '^VERSION_ID="13"' /etc/os-release; then
	START=("${START[@]/#gcc/gcc-12}")
fi
PACKAGES=("${START[@]}")
[[ $TASK == start ]] || PACKAGES+=("${BUILD[@]}")
case $TASK in
start | build) ;;
package) PACKAGES+=("${ARM64[@]}" "${PACKAGE[@]}") ;;
quick | usual | long) PACKAGES+=("${ARM64[@]}" "${TEST[@]}") ;;
full) PACKAGES+=("${ARM64[@]}" "${PACKAGE[@]}" "${TEST[@]}" "${FULL[@]}") ;;
*)
	echo "usage: ${0##*/} [start|build|package|quick|usual|long|full]" >&2
	exit 2
	;;
esac

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

locked() {
	as_root lslocks -rno PATH |
		grep -E '^/var/(lib/apt/lists|cache/apt/archives)/lock$' >/dev/null
}

# apt waits only for dpkg's lock, and a machine that has just started updates
# itself.
await_locks() {
	local end_s=$((SECONDS + 300))
	locked || return 0
	echo "== waiting for another apt to end"
	while locked && ((SECONDS < end_s)); do
		sleep 1
	done
}

apt_get() { # argument...
	await_locks
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >/dev/null
}

# Prints " (61 MB)", the size of the download; nothing without package lists.
download_size() {
	apt-get -y --no-install-recommends --print-uris install "${wanted[@]}" \
		2>/dev/null | awk -F "' " \
		"/^'/ { split(\$2, part, \" \"); bytes += part[2] }
		END { if (bytes) printf \" (%.0f MB)\", bytes / 1e6 }" || true
}

install_wanted() {
	apt_get -y --no-install-recommends install "${wanted[@]}"
}

# The package starts a server; the tests start their own.
stop_installed_server() {
	[[ " ${wanted[*]} " == *" clickhouse-server "* ]] || return 0
	as_root service clickhouse-server stop >/dev/null 2>&1 ||
		echo "== the server clickhouse-server was not running"
	as_root update-rc.d clickhouse-server disable >/dev/null 2>&1 ||
		echo "== the service clickhouse-server may start again: update-rc.d clickhouse-server disable"
}

# Container images have no package lists: the size is known after the update.
update_and_install() {
	apt_get --error-on=any update || return
	[[ -n $SIZE ]] || echo "== the packages to fetch:$(download_size)"
	install_wanted
}

mapfile -t wanted < <(missing)
if ((${#wanted[@]} == 0)); then
	echo "== all packages needed are installed"
	exit 0
fi
SIZE=$(download_size)
echo "== installing ${wanted[*]}$SIZE"
# Without root rights, stop here: the second attempt would fail, too.
as_root true
# First with all package lists, so that security updates are installed; but a
# third-party repository that no longer exists must not prevent the
# installation.
patiently update_and_install || {
	echo "== installing with the package lists that could be read"
	install_wanted
}
stop_installed_server
