# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Functions shared by the scripts that use apt. machine/host is independent and
# has its own licence, so it has a copy.

# Repeats the command: apt retries connections itself, but treats inconsistent
# package lists as a final error, and a mirror has such lists while it
# synchronises.
patiently() { # command...
	local pause
	for pause in 10 30; do
		! "$@" || return 0
		printf 'ktrace-hw: trying again in %d s\n' "$pause" >&2
		sleep "$pause"
	done
	"$@"
}

# Prints the mirror from which the system's apt gets a suite of Debian. If the
# package lists were removed, as in container images, apt knows no origins and
# only prints the URIs it would fetch.
debian_mirror() { # suite
	# shellcheck disable=SC2016 # the names in $() are apt's
	{
		apt-get indextargets 'Created-By: Packages' --format \
			'$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' || true
		{ apt-get --print-uris update || true; } | sed -nE \
			"s,^'(.*/)dists/([^/]*)/([^/]*)/binary-.*,\1 \2 \3 Debian,p"
	} 2>/dev/null | awk -v suite="$1" \
		'$2 == suite && $3 $4 == "mainDebian" && !found++ { print $1 }'
}
