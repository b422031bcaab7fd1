#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The release's archive is reproducible, and the other systems' packages can be
# made of it, as far as Debian has their tools (packaging/README.md).
# shellcheck disable=SC2317 # ok calls functions by name
set -euo pipefail
ROOT=$(realpath "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../..")
FAILURES=0
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

ok() { # name command...
	if "${@:2}" >"$WORK/output" 2>&1; then
		printf 'ok: %s\n' "$1"
	else
		printf 'FAILED: %s\n' "$1"
		tail -n 20 "$WORK/output"
		FAILURES=1
	fi
}

have() { # program what
	command -v "$1" >/dev/null && return
	printf 'skipped: %s: %s is not installed\n' "$2" "$1"
	return 1
}

make_twice() {
	for copy in one two; do
		git clone -q "$ROOT" "$WORK/$copy"
		make -s -C "$WORK/$copy" dist
	done
	cmp "$WORK"/{one,two}/build/dist/ktrace-hw-*.tar.gz
}

# Debian's packages have other names than those that the file requires.
build_rpm() {
	local archive
	archive=$(echo "$WORK"/one/build/dist/ktrace-hw-*.tar.gz)
	HOME=$WORK rpmbuild -tb --nodeps --define "_topdir $WORK/rpm" \
		--define '_smp_mflags -j2' "$archive"
	rpm -qlp "$WORK"/rpm/RPMS/*/ktrace-hw-*.rpm >"$WORK/files"
	grep -x /usr/bin/ktrace-hw "$WORK/files"
}

ok "two archives of one commit are equal" make_twice
if have rpmbuild "the RPM package"; then
	ok "the RPM package is built" build_rpm
fi
if have nix-instantiate "the Nix expression"; then
	ok "the Nix expression is valid" \
		nix-instantiate --parse "$ROOT/packaging/default.nix"
fi
ok "the PKGBUILD is valid" bash -n "$ROOT/packaging/PKGBUILD"
exit "$FAILURES"
