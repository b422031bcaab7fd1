#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the release's archive of the last commit, with its checksum, in
# build/dist: `make dist`. The same commit gives the same bytes. With SIGN=KEY
# GnuPG signs the checksum by that key: `gpg --verify *.sha256{.asc,}`, then
# `sha256sum -c *.sha256`.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
VERSION=$1
readonly OUTPUT=build/dist NAME=ktrace-hw-$VERSION

git diff --quiet HEAD || {
	echo "${0##*/}: there are changes that are not committed" >&2
	exit 1
}
mkdir -p "$OUTPUT"
git archive --format=tar --prefix="$NAME/" HEAD |
	gzip -9n >"$OUTPUT/$NAME.tar.gz"
cd "$OUTPUT"
sha256sum "$NAME.tar.gz" | tee "$NAME.tar.gz.sha256"
rm -f "$NAME.tar.gz.sha256.asc"
[[ ! ${SIGN:-} ]] ||
	gpg --batch --armor --local-user "$SIGN" --detach-sign "$NAME.tar.gz.sha256"
