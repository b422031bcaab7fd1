# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Runs apt with a private state folder: needs no root and does not change the
# system. The mirror is the one that the system's apt configuration names.
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Sets the architecture for the functions below. Each architecture has its own
# lists: the guest's are not read unless needed.
apt_use() { # Debian's name of an architecture
	APT_ARCH=$1
	APT=$CACHE/apt
	[[ $1 == amd64 ]] || APT+=-$1
}
apt_use amd64

apt_check_tools() {
	need_program apt-get apt
	need_program dpkg-deb dpkg
	[[ -r $KEYRING ]] ||
		fail "$KEYRING is missing (Debian package debian-archive-keyring)"
}

# Supports both forms of apt's sources, as apt itself parses them; other
# distributions may have a suite of the same name. If the lists were removed, as
# in container images, apt knows no origins and only prints the URIs it would
# fetch.
apt_system_mirror() { # regular expression for the suite's name
	# shellcheck disable=SC2016 # the names in $() are apt's
	{
		apt-get indextargets 'Created-By: Packages' --format \
			'$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' || true
		{ apt-get --print-uris update || true; } | sed -nE \
			"s,^'(.*/)dists/([^/]*)/([^/]*)/binary-.*,\1 \2 \3 Debian,p"
	} 2>/dev/null | awk -v suite="^($1)\$" \
		'$2 ~ suite && $3 $4 == "mainDebian" && !found++ { print $1 }'
}

apt_write_sources() {
	local archive security suite
	local names='bookworm|trixie|forky|sid|oldoldstable|oldstable'
	names+='|stable|testing|unstable'
	archive=$(apt_system_mirror "$names")
	security=$(apt_system_mirror "($names)-security")
	[[ -n $archive ]] ||
		fail "the system's apt configuration names no Debian mirror"
	for suite in bookworm trixie; do
		apt_source "$archive" "$suite"
		# Point releases in the archive have older kernels of the same
		# series, so it works without security updates as well.
		[[ -z $security ]] || apt_source "$security" "$suite-security"
	done
	# For QEMU.
	apt_source "$archive" trixie-backports
}

apt_source() { # uri suite
	printf 'deb [arch=%s signed-by=%s] %s %s main\n' \
		"$APT_ARCH" "$KEYRING" "$1" "$2"
}

# Declares packages as installed that only the packages' scripts need, not their
# files, so that only files in use are downloaded.
apt_write_status() {
	cat <<-'END'
		Package: unpacked-only
		Status: install ok installed
		Version: 1
		Architecture: all
		Maintainer: none
		Description: satisfies what is not needed to unpack a package
		Provides: kmod (= 9999), linux-base (= 9999), initramfs-tools (= 9999), linux-initramfs-tool, adduser (= 9999), passwd (= 9999), debconf (= 9999), debconf-2.0, libnss3 (= 9999)
	END
}

apt_write_config() {
	cat <<-END
		Dir::State "$APT";
		Dir::State::lists "$APT/lists";
		Dir::State::status "$APT/status";
		Dir::Cache "$APT";
		Dir::Cache::archives "$APT/archives";
		Dir::Etc::sourcelist "$APT/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::Etc::preferences "-";
		Dir::Etc::preferencesparts "$APT/none";
		Dir::Log "$APT";
		APT::Architecture "$APT_ARCH";
		APT::Architectures { "$APT_ARCH"; };
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		Acquire::Languages "none";
		Acquire::Retries "2";
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear APT::Update::Pre-Invoke;
		#clear DPkg::Post-Invoke;
		#clear DPkg::Pre-Install-Pkgs;
	END
}

apt_prepare() {
	apt_check_tools
	mkdir -p "$APT/lists/partial" "$APT/archives/partial" "$APT/none"
	apt_write_sources >"$APT/sources.list"
	apt_write_status >"$APT/status"
	apt_write_config >"$APT/apt.conf"
}

apt_show() { # package: its versions' records
	apt-cache -c "$APT/apt.conf" show "$1" 2>/dev/null || true
}

# An interrupted download resumes; apt checks every file against the signed
# lists. A file that a mirror no longer has may have a successor in newer lists,
# so these are read again.
apt_download() { # folder apt-get-arguments...
	apt_update
	run_child apt-get -c "$APT/apt.conf" -o "Dir::Cache::archives=$1" \
		-y --download-only --no-remove install "${@:2}" >&2 && return
	apt_forget
	return 1
}

# Uses its own folder, without files that another interrupted run downloaded.
apt_unpack() { # folder apt-get-arguments...
	local folder=$1 archive archives
	archives=$APT/archives/$(basename "$1")
	shift
	mkdir -p "$archives/partial"
	patiently apt_download "$archives" "$@" ||
		fail "cannot download $*: offline, no space in $APT, or the" \
			"package is no longer offered"
	for archive in "$archives"/*.deb; do
		say_verbose "unpacking ${archive##*/}"
		run_child dpkg-deb -x "$archive" "$folder" ||
			fail "cannot unpack ${archive##*/}: no disk space?"
		rm "$archive"
	done
}
