#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the release's archive of the last commit, with its checksum, in
# build/dist: `make dist VERSION=…`. The same commit gives the same bytes.
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
