#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records into the folder $1 with the recorder $2
# programs in cgroups of their own. "truth" has which process was where last.
set -euo pipefail
RESULTS=$1 KTRACE=$2
# shellcheck source=tests/e2e/guest_record.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_record.sh"
CGROUPS=/sys/fs/cgroup
TRUTH=$PWD/truth
export CGROUPS TRUTH

# Runs a command in a cgroup, whose path is logged.
in_cgroup() ( # cgroup command...
	echo "$BASHPID" >"$CGROUPS$1/cgroup.procs"
	echo "$BASHPID $1" >>"$TRUTH"
	shift
	exec "$@"
)
export -f in_cgroup

# Comes from its parent's cgroup and ends in another; its child stays there.
# shellcheck disable=SC2016
all_of_them() {
	in_cgroup /a dd if=/dev/zero of=/dev/null bs=1k count=300 status=none
	in_cgroup /b/c sh -c 'sh -c "echo \$\$ /b/c >>\"\$TRUTH\"; : >/dev/null"; :'
	in_cgroup /a sh -c 'echo $$ >"$CGROUPS/b/c/cgroup.procs"
		echo "$$ /b/c" >>"$TRUTH"; exec sleep 0.01' &
	in_cgroup /stays sleep 100 &
	sh -c 'echo "$$ /" >>"$TRUTH"; exec ls /' >/dev/null
	# The process existed before the recording.
	kill -USR1 "$BEFORE"
	sleep 0.05
}
export -f all_of_them

mkdir -p "$CGROUPS"/{a,b/c,stays,before}
# shellcheck disable=SC2016
in_cgroup /before sh -c 'trap "echo there" USR1; sleep 100 & wait; wait' \
	>/dev/null &
sleep 0.2
BEFORE=$(tail -n 1 "$TRUTH" | cut -d ' ' -f 1)
export BEFORE
record groups --buffer 64M --events=attribution -- bash -c all_of_them
cp -r groups truth "$RESULTS"
