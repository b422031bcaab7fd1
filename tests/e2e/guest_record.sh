# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests' parts in the virtual machine: records by $KTRACE, into folders of
# their own names below the working directory.
# In the guest's memory: writing to the host's folder is much kernel work.
cd "$(mktemp -d)" || exit

record() { # name option... -- command...
	local name=$1
	shift
	"$KTRACE" record -o "$name" "$@" >"$name.out" 2>"$name.err" || {
		cat "$name.out" "$name.err"
		return 1
	}
}
