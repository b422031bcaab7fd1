# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the user is told, and the exit codes that are part of the contract
# (docs/machine.md, "Exit codes").
readonly EXIT_USAGE=2
readonly EXIT_MACHINE=125

say() {
	printf 'machine: %s\n' "$*" >&2
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

need_program() { # name package
	command -v "$1" >/dev/null ||
		fail "the program '$1' is missing (Debian package $2)"
}
