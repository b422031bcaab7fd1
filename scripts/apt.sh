# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the scripts that use apt share.  machine/host, which stands alone and
# under its own licence, has its own.

# apt itself tries a connection again, but takes lists that do not fit together
# for final: so they are while a mirror is being synchronised.
patiently() { # command...
	local pause
	for pause in 10 30; do
		! "$@" || return 0
		printf 'ktrace-hw: trying again in %d s\n' "$pause" >&2
		sleep "$pause"
	done
	"$@"
}

# The mirror that the system's own apt has a suite of Debian's from.  Where the
# lists were removed, as images have it, apt knows no origins and only says
# what it would fetch.
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
