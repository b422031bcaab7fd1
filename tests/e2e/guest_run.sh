# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests' parts in the virtual machine.

# Runs a command, whatever becomes of it: what it prints, what it says and its exit
# code go to files here that begin with the name.  It has $LIMIT_S seconds, if that
# is set.
run() { # name command...
	local name=$1 code=0
	shift
	${LIMIT_S:+timeout "$LIMIT_S"} "$@" >"$name.out" 2>"$name.err" || code=$?
	echo "$code" >"$name.code"
}
