# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# When to read Debian's package lists, and how to handle a mirror's temporary
# failures.
readonly LISTS_FRESH_S=3600

# Repeats the command: apt retries connections itself, but treats inconsistent
# package lists as a final error, and a mirror has such lists while it
# synchronises.
patiently() { # command...
	local pause
	for pause in 10 30; do
		! "$@" || return 0
		say_progress "trying again in $pause s"
		run_child sleep "$pause"
	done
	"$@"
}

# Reads the lists unless they were read within the last hour.
apt_update() {
	apt_prepare
	! apt_is_fresh || return 0
	cache_need_space 300 "Debian's package lists"
	say_progress "reading Debian's package lists"
	patiently run_child apt-get -c "$APT/apt.conf" --error-on=any update >&2 ||
		fail "cannot read Debian's package lists: offline, or the" \
			"mirror in the system's apt configuration does not" \
			"have bookworm and trixie"
	cp "$APT/sources.list" "$APT/fresh"
}

# The stamp's contents name the lists that were read, its modification time is
# when; a time in the future means that the clock was wrong.
apt_is_fresh() {
	local age_s
	[[ -r $APT/fresh && $(<"$APT/fresh") == "$(<"$APT/sources.list")" ]] ||
		return 1
	age_s=$((EPOCHSECONDS - $(stat -c %Y "$APT/fresh")))
	((age_s >= 0 && age_s < LISTS_FRESH_S))
}

apt_forget() {
	rm -f "$APT/fresh"
}
