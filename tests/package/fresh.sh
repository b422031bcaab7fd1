#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the README's two commands on new machines: debootstrap makes a Debian
# system with only git and ca-certificates, which clones the commit that
# is checked out here and runs ./start, then ./test.
#	fresh.sh [RELEASE-WHO...]	all, or some of:
#		bookworm-root, trixie-root	root, in /root, without a locale; then
#						clang's warnings
#		bookworm-user, trixie-user	a user with sudo, umask 077, in a
#						folder with a space in its name
#		bookworm-deb, trixie-deb	make deb, and tests/package/package.sh
#						with these packages
# Every name runs in namespaces of its own, so that its mounts and processes end
# with it.  $FRESH_LOGS (build/fresh if unset) gets a log of each command.
# Needs root, the network and debootstrap.
# shellcheck disable=SC2317 # expect_success calls functions by name
set -euo pipefail
ROOT=$(realpath "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../..")
cd "$ROOT"
readonly ROOT LOGS=${FRESH_LOGS:-$ROOT/build/fresh}
FAILURES=0

skip() {
	printf 'skipped: %s: %s\n' "${0##*/}" "$*"
	exit 0
}
((EUID == 0)) || skip "debootstrap needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"

# shellcheck source=scripts/apt.sh
source scripts/apt.sh

# Makes a release's new system in the folder, which has the repository's commit
# as /srv/ktrace-hw.bundle.
make_new_system() { # release folder
	local mirror
	mirror=$(debian_mirror "$1")
	# shellcheck disable=SC1091 # Debian's own
	[[ $mirror ]] || mirror=$(. /etc/os-release &&
		debian_mirror "$VERSION_CODENAME")
	debootstrap --variant=minbase --include=git,ca-certificates "$1" "$2" \
		"${mirror:-http://deb.debian.org/debian}" &&
		cp /etc/resolv.conf "$2/etc/resolv.conf" &&
		printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$2/etc/hosts" &&
		git bundle create -q "$2/srv/ktrace-hw.bundle" HEAD
}

# Copies the release's new system, which the first copy makes.
make_system() { # release folder
	if [[ ! -d $WORK/$1 ]]; then
		make_new_system "$1" "$WORK/part" || return 1
		mv "$WORK/part" "$WORK/$1"
	fi
	cp -a "$WORK/$1" "$2"
}

# Runs a command in the system, as the user.
inside() { # folder user command
	local -a as=(env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin
		TERM=dumb)
	[[ $2 == root ]] || as+=(LANG=C.UTF-8 setpriv "--reuid=$2" --regid="$2"
		--init-groups env "HOME=/home/$2" "USER=$2")
	# shellcheck disable=SC2016 # the shell inside expands them
	unshare --mount --pid --fork --kill-child -- bash -euc '
		mount --rbind /dev "$1/dev"
		mount -t tmpfs shm "$1/dev/shm"
		mount --rbind /sys "$1/sys"
		mount -t proc proc "$1/proc"
		exec chroot "$1" "${@:2}"' bash "$1" "${as[@]}" \
		bash -c "$3" </dev/null
}

# Leaves the output of the command in a log.
expect_success() { # name log command...
	local start_s=$SECONDS code=0
	"${@:3}" >"$LOGS/$2" 2>&1 || code=$?
	if ((code == 0)); then
		printf 'ok: %s: %s (%d s)\n' "${0##*/}" "$1" \
			"$((SECONDS - start_s))"
		return 0
	fi
	printf 'FAILED: %s: %s (%d s): exit code %d, the end of %s:\n' \
		"${0##*/}" "$1" "$((SECONDS - start_s))" "$code" "$LOGS/$2"
	tail -n 40 "$LOGS/$2"
	FAILURES=$((FAILURES + 1))
	return 1
}

add_user() { # system
	inside "$1" root 'apt-get -qq update &&
		apt-get -qq -y --no-install-recommends install sudo >/dev/null &&
		useradd -m -s /bin/bash ada &&
		echo "ada ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/ada'
}

# A command that succeeds must print no warning and no failure: "0 failed" is
# none.
expect_no_warnings() { # name log
	local warnings
	warnings=$(grep -E '[Ww]arning:|FAILED|[Nn]o symbols' "$LOGS/$2" || true)
	if [[ -n $warnings ]]; then
		printf 'FAILED: %s: %s: prints warnings: %s\n' "${0##*/}" "$1" \
			"$warnings"
		FAILURES=$((FAILURES + 1))
	else
		printf 'ok: %s: %s: no warnings\n' "${0##*/}" "$1"
	fi
}

# ./start installs at most 60 MB of packages.
expect_small() { # name log
	local size
	size=$(sed -nE 's/^== installing .* \(([0-9]+) MB\)$/\1/p' "$LOGS/$2")
	if [[ $size ]] && ((size < 60)); then
		printf 'ok: %s: %s: installs %s MB\n' "${0##*/}" "$1" "$size"
	else
		printf 'FAILED: %s: %s: installs %s MB, not below 60\n' \
			"${0##*/}" "$1" "$size"
		FAILURES=$((FAILURES + 1))
	fi
}

check_readme() { # name system user folder
	local mask=077 enter
	[[ $3 != root ]] || mask=022
	enter="umask $mask; cd"
	expect_success "$1: git clone" "$1.clone" inside "$2" "$3" \
		"$enter && git clone -q /srv/ktrace-hw.bundle '$4'" || return 0
	expect_success "$1: ./start" "$1.start" inside "$2" "$3" \
		"$enter '$4' && ./start" || return 0
	expect_no_warnings "$1: ./start" "$1.start"
	expect_small "$1: ./start" "$1.start"
	expect_success "$1: ./test" "$1.test" inside "$2" "$3" \
		"$enter '$4' && ./test" || return 0
	expect_no_warnings "$1: ./test" "$1.test"
}

check_clang() { # name system folder
	expect_success "$1: clang" "$1.clang" inside "$2" root \
		"cd '$3' && apt-get -qq -y --no-install-recommends install \
		clang libclang-rt-dev && make -s -j$(nproc) warnings CC=clang"
}

check_deb() { # name system
	expect_success "$1: the packages" "$1.deb" inside "$2" root \
		'cd && git clone -q /srv/ktrace-hw.bundle ktrace-hw &&
		cd ktrace-hw && scripts/dependencies.sh package &&
		tests/package/package.sh' || return 0
	grep -E '^(ok|skipped|FAILED)' "$LOGS/$1.deb"
}

check() { # name
	local release=${1%-*} system=$WORK/$1
	expect_success "$1: debootstrap" "$1.debootstrap" \
		make_system "$release" "$system" || return 0
	case $1 in
	*-root)
		check_readme "$1" "$system" root /root/ktrace-hw
		check_clang "$1" "$system" /root/ktrace-hw || true
		;;
	*-user)
		expect_success "$1: a user with sudo" "$1.user" \
			add_user "$system" || return 0
		check_readme "$1" "$system" ada "/home/ada/my traces/ktrace-hw"
		;;
	*-deb) check_deb "$1" "$system" ;;
	esac
	rm -rf --one-file-system "$system"
}

(($#)) || set -- bookworm-root trixie-root bookworm-user trixie-user \
	bookworm-deb trixie-deb
WORK=$(mktemp -d)
trap 'rm -rf --one-file-system "$WORK"' EXIT
mkdir -p "$LOGS"
for name in "$@"; do
	[[ $name == @(bookworm|trixie)-@(root|user|deb) ]] || {
		printf 'usage: %s [bookworm|trixie-root|user|deb...]\n' \
			"${0##*/}" >&2
		exit 2
	}
	check "$name"
done
exit $((FAILURES > 0))
