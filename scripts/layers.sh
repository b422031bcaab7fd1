#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails when a folder includes a header of a folder that it must not know
# (docs/architecture.md).  The order is the way data flows; collector/ and
# decoder/ meet only in the recording.
status=0
forbid() {
	for to in $2; do
		if grep -n "^#include \"$to/" "$1"/*.[ch] 2>/dev/null; then
			echo "$1/ must not use $to/" >&2
			status=1
		fi
	done
}
forbid common    "collector decoder symbolize report attribution cmd machine"
forbid collector "decoder symbolize report attribution cmd machine"
forbid decoder   "collector symbolize report attribution cmd machine"
forbid symbolize "collector report attribution cmd machine"
forbid report    "collector attribution cmd machine"
forbid attribution "collector cmd machine"
forbid cmd       "machine"
forbid machine/intel_pt "common collector decoder symbolize report cmd machine/qemu machine/truth"
forbid machine/truth "common collector decoder symbolize report cmd machine/intel_pt"
exit $status
