#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The release's archive is reproducible and can be signed, and the other systems'
# packages and the container's image can be made of it, as far as Debian has their
# tools (packaging/README.md).
# shellcheck disable=SC2317 # ok calls functions by name
set -euo pipefail
ROOT=$(realpath "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../..")
PACKAGING=$ROOT/packaging
PROGRAM=${PROGRAM:-$ROOT/build/ktrace-hw}
FAILURES=0
WORK=$(mktemp -d)
trap 'rm -rf --one-file-system "$WORK"' EXIT

ok() { # name command...
	if "${@:2}" >"$WORK/output" 2>&1; then
		printf 'ok: %s\n' "$1"
	else
		printf 'FAILED: %s\n' "$1"
		tail -n 20 "$WORK/output"
		FAILURES=1
	fi
}

# Like ok, if the program is installed.
ok_with() { # program name command...
	if command -v "$1" >/dev/null; then
		ok "${@:2}"
	else
		printf 'skipped: %s: %s is not installed\n' "$2" "$1"
	fi
}

make_twice() {
	for copy in one two; do
		git clone -q "$ROOT" "$WORK/$copy"
		make -s -C "$WORK/$copy" dist
	done
	cmp "$WORK"/{one,two}/build/dist/ktrace-hw-*.tar.gz
}

# With a key that ends with the test.
sign() (
	export GNUPGHOME=$WORK/keys
	mkdir -m 700 "$GNUPGHOME"
	trap 'gpgconf --kill all' EXIT
	gpg --batch --passphrase '' --quick-generate-key release@example.org &&
		make -s -C "$WORK/two" dist SIGN=release@example.org &&
		cd "$WORK/two/build/dist" &&
		gpg --batch --verify ktrace-hw-*.sha256{.asc,} &&
		sha256sum -c ktrace-hw-*.sha256
)

# rpmlint's errors end with code 64.
check_spec() {
	rpmlint "$PACKAGING/ktrace-hw.spec"
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

# makepkg refuses to run as root.
check_pkgbuild() (
	local -a as=()
	mkdir "$WORK/arch"
	cp "$PACKAGING/PKGBUILD" "$WORK/arch"
	chmod 711 "$WORK"
	if ((EUID == 0)); then
		chown -R nobody "$WORK/arch"
		as=(runuser -u nobody --)
	fi
	cd "$WORK/arch"
	"${as[@]}" env HOME="$WORK/arch" makepkg --printsrcinfo >srcinfo
	grep -x $'\tarch = x86_64' srcinfo
)

in_container() { # command...
	buildah --storage-driver vfs --root "$WORK/images" \
		--runroot "$WORK/containers" "$@"
}

# The image that Containerfile starts from: a new Debian system.
make_base() {
	local base mirror
	# shellcheck source=scripts/apt.sh
	source "$ROOT/scripts/apt.sh"
	mirror=$(debian_mirror trixie)
	debootstrap --variant=minbase trixie "$WORK/system" \
		${mirror:+"$mirror"}
	base=$(in_container from scratch)
	in_container add -q "$base" "$WORK/system" /
	in_container commit -q "$base" docker.io/library/debian:13
	in_container commit -q "$base" docker.io/library/debian:13-slim
}

build_image() {
	in_container bud --isolation chroot --pull-never -t ktrace-hw \
		-f "$WORK/one/packaging/Containerfile" "$WORK/one"
}

# The program in the image reads a recording of the virtual machine.
read_in_image() {
	local made
	local -a inside
	"$PROGRAM" record --machine -o "$WORK/recording" -- true &&
		made=$(in_container from --pull-never ktrace-hw) || return 1
	inside=(in_container run --isolation chroot
		-v "$WORK/recording:/work/recording" "$made" -- ktrace-hw)
	[[ $("${inside[@]}" --version) == "$("$PROGRAM" --version)" ]] &&
		"${inside[@]}" report --flat --format=csv -i /work/recording \
			>"$WORK/in_image" &&
		"$PROGRAM" report --flat --format=csv -i "$WORK/recording" \
			>"$WORK/here" &&
		cmp "$WORK/here" "$WORK/in_image" &&
		grep -q '^do_syscall_64,' "$WORK/in_image"
}

ok "two archives of one commit are equal" make_twice
ok_with gpg "the archive's checksum is signed" sign
ok_with rpmlint "rpmlint finds no error in the RPM package's description" check_spec
ok_with rpmbuild "the RPM package is built" build_rpm
ok_with nix-instantiate "the Nix expression is valid" \
	nix-instantiate --parse "$PACKAGING/default.nix"
ok_with makepkg "the PKGBUILD is valid" check_pkgbuild
CLICKHOUSE_PASSWORD=none ok_with docker-compose "the composition of a store is valid" \
	docker-compose -f "$PACKAGING/grafana/compose.yaml" config
if ((EUID == 0)) && command -v debootstrap >/dev/null; then
	ok_with buildah "a new Debian as an image" make_base
	ok_with buildah "the container's image is built" build_image
	ok_with buildah "the program in the image reads a recording" read_in_image
else
	echo "skipped: the container's image: it needs root and debootstrap"
fi
exit "$FAILURES"
