#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Debian packages: lintian finds nothing; in a new Debian system with nothing
# else the package installs, with all that it needs, and its programs record in
# both virtual machines.  Needs root, the network, debootstrap and lintian.
#	package.sh
set -euo pipefail
ROOT=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../..
cd "$ROOT"
FAILURES=0

skip() {
	printf 'skipped: %s: %s\n' "${0##*/}" "$*"
	exit 0
}
((EUID == 0)) || skip "debootstrap needs root"
for program in debootstrap lintian dh; do
	command -v "$program" >/dev/null || skip "$program is not installed"
done

WORK=$(mktemp -d)
SYSTEM=$WORK/system
finish() {
	local code=$?
	for mounted in proc dev var/cache/ktrace-hw; do
		umount "$SYSTEM/$mounted" 2>/dev/null || true
	done
	rm -rf --one-file-system "$WORK"
	exit $((code ? code : FAILURES > 0))
}
trap finish EXIT

expect() { # name wanted got
	if [[ $3 == "$2" ]]; then
		printf 'ok: %s: %s\n' "${0##*/}" "$1"
	else
		printf "FAILED: %s: %s: wanted '%s', got '%s'\n" "${0##*/}" \
			"$1" "$2" "$3"
		FAILURES=$((FAILURES + 1))
	fi
}

# Runs a program in the system; stores its exit code in CODE, its output in
# $WORK/log.
inside() { # command...
	CODE=0
	chroot "$SYSTEM" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@" \
		>"$WORK/log" 2>&1 </dev/null || CODE=$?
}

make_system() {
	# shellcheck disable=SC1091 # Debian's own
	SUITE=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
	# shellcheck source=scripts/apt.sh
	source scripts/apt.sh
	debootstrap --variant=minbase "$SUITE" "$SYSTEM" \
		"$(debian_mirror "$SUITE")" >"$WORK/log" 2>&1 || {
		tail -n 5 "$WORK/log"
		skip "no new system: debootstrap failed"
	}
	mount --bind /proc "$SYSTEM/proc"
	mount --bind /dev "$SYSTEM/dev"
	cp /etc/resolv.conf "$SYSTEM/etc/resolv.conf"
	mkdir -p "$SYSTEM/var/cache/ktrace-hw"
}

# Mounts the files that the tests fetched as files that an administrator fetched
# for all users.
share_downloads() {
	local mine=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw
	machine/host/machine fetch >"$WORK/log" 2>&1 &&
		machine/host/machine fetch --arch arm64 >>"$WORK/log" 2>&1 ||
		return 1
	mount --bind "$mine" "$SYSTEM/var/cache/ktrace-hw"
}

check_packages() {
	local code=0
	lintian --allow-root --fail-on error,warning build/deb/*.deb || code=$?
	expect "lintian" 0 "$code"
	expect "the version is NEWS'" \
		"$(sed -n 's/^ktrace-hw \([0-9.]*\).*/\1/p;T;q' NEWS)" \
		"$(dpkg-deb -f build/deb/ktrace-hw_*.deb Version)"
	expect "symbols for debuggers" yes \
		"$(dpkg-deb -c build/deb/ktrace-hw-dbgsym_*.deb |
			grep -c '/\.build-id/.*\.debug' |
			sed 's/^[1-9].*/yes/')"
}

check_installed() {
	cp build/deb/*.deb "$SYSTEM/root"
	inside sh -c 'apt-get -qq update && apt-get -qq -y \
		--no-install-recommends install /root/*.deb \
		debian-archive-keyring xz-utils zstd'
	expect "it installs" 0 "$CODE"
	inside ktrace-hw --version
	expect "it runs" "0 ktrace-hw" "$CODE $(cut -d ' ' -f 1 "$WORK/log")"
	# shellcheck disable=SC2016 # the shell inside expands them
	inside sh -c 'for page in /usr/share/man/man1/ktrace-hw*.1.gz; do
		name=${page##*/}; ktrace-hw $(echo ${name%.1.gz} |
		cut -s -d - -f 3-) --help >/dev/null || echo $page; done'
	expect "each manual page has its command" "0 " "$CODE $(<"$WORK/log")"
	inside bash -c '. /usr/share/bash-completion/completions/ktrace-hw &&
		complete -p ktrace-hw'
	expect "bash completes it" 0 "$CODE"
}

# Records in the machine, and reads the recording.
check_machine() { # architecture
	inside sh -c "cd /root && ktrace-hw record --machine --arch $1 \
		-o $1 -- ls / && ktrace-hw report -i $1 --flat"
	expect "$1: it records and reports" "0 yes" \
		"$CODE $(grep -q vfs_ "$WORK/log" && echo yes)"
	((CODE == 0)) || tail -n 5 "$WORK/log"
}

# Fetches the page by its printed address, through bash's /dev/tcp: the system has
# no program for HTTP.
check_view() { # recording
	# shellcheck disable=SC2016 # the shell inside expands them
	inside bash -c 'cd /root && coproc ktrace-hw view "$1" 2>&1
		while read -r -u "${COPROC[0]}" line; do
			[[ $line =~ http://([0-9.]+):([0-9]+)(/[^ ]*) ]] && break
		done
		exec {page}<>"/dev/tcp/${BASH_REMATCH[1]}/${BASH_REMATCH[2]}"
		printf "GET %s HTTP/1.0\r\nHost: %s:%s\r\n\r\n" \
			"${BASH_REMATCH[3]}" "${BASH_REMATCH[@]:1:2}" >&"$page"
		cat <&"$page"
		kill "$COPROC_PID"' bash "$1"
	expect "the page of $1 is served" "0 yes" "$CODE $(
		grep -aq '^HTTP/1.. 200' "$WORK/log" &&
			grep -aqi '<title>.*ktrace-hw' "$WORK/log" && echo yes
	)"
}

scripts/deb.sh >"$WORK/deb"
check_packages
make_system
check_installed
if share_downloads; then
	check_machine x86_64
	check_view x86_64
	check_machine arm64
else
	tail -n 1 "$WORK/log"
	echo "skipped: ${0##*/}: recording: the machines cannot be had"
fi
mapfile -t PACKAGES < <(printf '%s\n' build/deb/*.deb |
	xargs -I FILE dpkg-deb -f FILE Package)
inside apt-get -qq -y remove "${PACKAGES[@]}"
expect "removed, it leaves nothing" "0 " \
	"$CODE $(find "$SYSTEM/usr" -name '*ktrace*' | head)"
