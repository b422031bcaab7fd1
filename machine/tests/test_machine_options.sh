#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests wrong usage: exit code 2 and a message, before anything is fetched.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
export XDG_CACHE_HOME=$WORK/cache

wrong() { # name message argument...
	local name=$1 message=$2
	shift 2
	capture "$MACHINE" "$@"
	expect_failure "$name" 2 "$message"
}

# The user's home directory is found without HOME, and a relative HOME is
# ignored.
homeless() { # name variable...
	# shellcheck disable=SC2016 # the shell that is started expands it
	capture env -u XDG_CACHE_HOME "${@:2}" bash -c 'source "$0/messages.sh"
		source "$0/cache.sh"; echo "$CACHE"' "$(dirname "$MACHINE")"
	expect "$1" "$(getent passwd "$(id -u)" | cut -d : -f 6)/.cache/ktrace-hw" \
		"$OUT"
}

homeless "no HOME" -u HOME
homeless "empty HOME" HOME=
homeless "relative HOME" HOME=here
capture env -u XDG_CACHE_HOME HOME=/proc/none "$MACHINE" run -- true
expect_failure "a home that cannot be written" 125 \
	"cannot create the cache folder /proc/none/.cache/ktrace-hw"

wrong "no subcommand" "usage: machine run"
wrong "unknown command" "unknown command 'walk'" walk
wrong "unknown option" "unknown option --fast" run --fast=1 -- true
wrong "terminal's commands in an option" \
	'unknown option --\?\[31mü\?' run $'--\e[31mü\xc2\x9b' -- true
wrong "option without its value" "--cpus needs a value" run --cpus
wrong "no number" "takes a number from 1 to 64" run --cpus=two -- true
wrong "number too large" "takes a number" run --cpus=65 -- true
wrong "no command" "run needs a command" run
wrong "no results folder" "is not a writable folder" \
	run --results "$WORK/none" -- true
wrong "shell without a terminal" "shell needs a terminal" shell
capture "$MACHINE" help
expect "help" 0 "$CODE"
expect "nothing was fetched" "" "$(ls -A "$XDG_CACHE_HOME" 2>/dev/null)"
