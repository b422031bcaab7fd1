#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Debian packages from the current state of this folder, in
# build/deb: `make deb`. They are built in a copy, so that nothing here changes.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
readonly OUTPUT=$PWD/build/deb
readonly COPY=$OUTPUT/source

command -v dh >/dev/null || {
	echo "ktrace-hw: the program 'dh' is missing (Debian package debhelper)" >&2
	exit 1
}
scripts/arm64_sysroot.sh
rm -rf "$OUTPUT"
mkdir -p "$COPY"
tar -c --exclude-vcs --exclude='./build*' --exclude='./ktrace.data*' . |
	tar -x -C "$COPY"
ln -s "$PWD/build-arm64-sysroot" "$COPY/build-arm64-sysroot"
cd "$COPY"
dpkg-buildpackage -b -us -uc >"$OUTPUT/log" 2>&1 || {
	tail -n 30 "$OUTPUT/log" >&2
	echo "ktrace-hw: no packages were made: build/deb/log has all of it" >&2
	exit 1
}
rm -rf "$COPY"
printf '%s\n' "$OUTPUT"/*.deb
