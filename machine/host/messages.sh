# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # the other parts read what is set here
# What the user is told, and the exit codes that are part of the contract
# (docs/machine.md, "Exit codes").
readonly EXIT_USAGE=2
readonly EXIT_MACHINE=125
readonly EXIT_NOT_FOUND=127

# A name may hold a terminal's commands, which are shown as '?': C0 but line ends
# and tabs, DEL, and C1, which is two bytes of UTF-8.
say() {
	local text=$* LC_ALL=C
	text=${text//[$'\x01'-$'\x08'$'\x0b'-$'\x1f\x7f']/?}
	printf 'machine: %s\n' "${text//$'\xc2'[$'\x80'-$'\x9f']/?}" >&2
}

say_verbose() {
	[[ -z ${OPT_VERBOSE:-} ]] || say "$*"
}

fail() {
	say "$*"
	exit "$EXIT_MACHINE"
}

wrong_usage() {
	say "$*"
	say "see 'machine help'"
	exit "$EXIT_USAGE"
}

# Any other exit of this script is a failure of the machine: a command of the
# host's failed under "set -e", say.  The guest's command has its own exit code,
# which whatever replaces this script returns.
exit_as_meant() { # exit code
	case $1 in
	0 | "$EXIT_USAGE" | "$EXIT_MACHINE" | "$EXIT_NOT_FOUND" | 130 | 143) ;;
	*)
		say "failed unexpectedly, with exit code $1"
		exit "$EXIT_MACHINE"
		;;
	esac
}

# Runs a child that does not outlive us when a signal ends us: bash alone would
# die and leave it.
run_child() {
	local pid status=0
	"$@" &
	pid=$!
	# shellcheck disable=SC2064 # this child's number is meant
	trap "kill $pid 2>/dev/null; wait $pid; exit 130" INT
	# shellcheck disable=SC2064
	trap "kill $pid 2>/dev/null; wait $pid; exit 143" TERM HUP
	wait "$pid" || status=$?
	trap - INT TERM HUP
	return "$status"
}

need_program() { # name package
	command -v "$1" >/dev/null ||
		fail "the program '$1' is missing (Debian package $2)"
}
