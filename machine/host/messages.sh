# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # the other parts read what is set here
# Messages to the user, and the documented exit codes (docs/machine.md, "Exit
# codes").
readonly EXIT_USAGE=2
readonly EXIT_MACHINE=125
readonly EXIT_NOT_FOUND=127

# Names may contain terminal control characters, which are shown as '?': C0
# except newlines and tabs, DEL, and C1, which is two bytes of UTF-8.
say() {
	local text=$* LC_ALL=C
	text=${text//[$'\x01'-$'\x08'$'\x0b'-$'\x1f\x7f']/?}
	printf 'machine: %s\n' "${text//$'\xc2'[$'\x80'-$'\x9f']/?}" >&2
}

# For progress, which --quiet omits.
say_progress() {
	[[ -n ${OPT_QUIET:-} ]] || say "$*"
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

# Any other exit of this script is a failure of the machine, such as a failed
# command of the host under "set -e". The program that replaces this script
# returns the guest command's exit code.
exit_as_meant() { # exit code
	case $1 in
	0 | "$EXIT_USAGE" | "$EXIT_MACHINE" | "$EXIT_NOT_FOUND" | 130 | 143) ;;
	*)
		say "failed unexpectedly, with exit code $1"
		exit "$EXIT_MACHINE"
		;;
	esac
}

# Runs a child that does not outlive this script if a signal ends it: bash alone
# would exit and leave the child running.
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
