# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs one command beside those that follow. Its output is kept and printed when
# it is waited for, so that it does not mix with theirs. It ends with the script.

beside_start() { # command...
	BESIDE=$(mktemp -d)
	# Job control gives the command a process group, to end all of it.
	set -m
	"$@" </dev/null >"$BESIDE/output" 2>&1 &
	BESIDE_PID=$!
	set +m
	trap 'kill -- "-$BESIDE_PID" 2>/dev/null; rm -rf "$BESIDE"' EXIT
}

# Returns the command's exit code; 0 if none was started.
beside_await() {
	local status=0
	[[ ${BESIDE_PID:-} ]] || return 0
	wait "$BESIDE_PID" || status=$?
	cat "$BESIDE/output"
	trap - EXIT
	rm -rf "$BESIDE"
	return "$status"
}
