#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Unpacks the arm64 packages of Debian that the program is built with into a
# folder, for `make ARCH=arm64` and `make ARCH=arm64 check`.  Needs no root
# rights; uses only the mirror and the keys of the system's apt.
#	scripts/arm64_sysroot.sh [FOLDER]	(default: build-arm64-sysroot)
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
# shellcheck source-path=SCRIPTDIR source=apt.sh
source scripts/apt.sh

ROOT=$(realpath -m "${1:-build-arm64-sysroot}")
STATE=$ROOT.apt
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
PACKAGES=(
	libc6 libc6-dev libopencsd-dev libzydis-dev libelf-dev libdw-dev libiberty-dev
	libunwind-dev libzstd-dev zlib1g-dev libdeflate-dev
	libsqlite3-dev libedit-dev libxxhash-dev check
)

fail() {
	printf 'ktrace-hw: %s\n' "$*" >&2
	exit 1
}

write_state() { # suite uri
	mkdir -p "$STATE/lists/partial" "$STATE/archives/partial" "$STATE/none"
	: >"$STATE/status"
	printf 'deb [arch=arm64 signed-by=%s] %s %s main\n' \
		"$KEYRING" "$2" "$1" >"$STATE/sources.list"
	cat >"$STATE/apt.conf" <<-END
		Dir::State "$STATE";
		Dir::State::lists "$STATE/lists";
		Dir::State::status "$STATE/status";
		Dir::Cache "$STATE";
		Dir::Cache::archives "$STATE/archives";
		Dir::Etc::sourcelist "$STATE/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::Etc::preferencesparts "$STATE/none";
		APT::Architecture "arm64";
		APT::Architectures { "arm64"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "2";
	END
}

download() {
	apt-get -qq -c "$STATE/apt.conf" --error-on=any update &&
		apt-get -qq -c "$STATE/apt.conf" -y --download-only install \
			"${PACKAGES[@]}" >/dev/null
}

unpack() {
	local archive
	mkdir -p "$ROOT"
	for archive in "$STATE"/archives/*.deb; do
		dpkg-deb -x "$archive" "$ROOT"
	done
}

# Dynamic loaders are found as /lib/ld-linux-aarch64.so.1, wherever the package
# puts them.
link_lib() {
	[[ -e $ROOT/lib/ld-linux-aarch64.so.1 ]] ||
		ln -sfn usr/lib "$ROOT/lib"
}

# Makes absolute links refer to files in this folder: otherwise the linker would
# use libz.a instead of libz.so.
make_links_relative() {
	local link
	find "$ROOT" -type l -lname '/*' | while read -r link; do
		ln -sfnr "$ROOT$(readlink "$link")" "$link"
	done
}

# Rebuild a folder that was made from an older list of packages.
[[ $(cat "$ROOT/.complete" 2>/dev/null) != "${PACKAGES[*]}" ]] || exit 0
[[ ! -e $ROOT/.complete ]] || rm -rf "$ROOT"
# shellcheck disable=SC1091 # Debian's own
SUITE=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
URI=$(debian_mirror "$SUITE")
[[ -n $URI ]] || fail "the system's apt configuration has no $SUITE main"
[[ -r $KEYRING ]] || fail "$KEYRING is missing (debian-archive-keyring)"
write_state "$SUITE" "$URI"
patiently download || fail "cannot download the arm64 packages: offline?"
unpack
link_lib
make_links_relative
rm -rf "$STATE"
printf '%s\n' "${PACKAGES[*]}" >"$ROOT/.complete"
echo "== arm64 packages of $SUITE are in $ROOT"
