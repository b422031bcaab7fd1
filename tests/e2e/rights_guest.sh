#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: asks the recorder $2 what root, a user with file
# capabilities and a user without may record, and lets them record. Outputs and
# exit codes are in the folder $1.
set -uo pipefail
RESULTS=$1
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"
cd "$(mktemp -d)" || exit
chmod 777 .
PROGRAM=$PWD/ktrace-hw
cp "$2" "$PROGRAM"
SYSCTL=/proc/sys/kernel

as_user() { # command...
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Gives the program all capabilities that recording needs, except the given one.
grant() { # [except]
	local all=cap_perfmon,cap_sys_rawio,cap_dac_read_search,cap_syslog,cap_ipc_lock,cap_bpf
	setcap "${all/${1:-none},/}=ep" "$PROGRAM"
}

record() { # name [command...]
	run "$1" "${@:2}" "$PROGRAM" record --events=none -o "$1.data" -- true
	rm -rf "$1.data"
}

doctor() { # name [command...]
	run "$1" "${@:2}" "$PROGRAM" doctor
}

# The guest's root is the host's, which may be a container's.
rm -f /.dockerenv /run/.containerenv
# As distributions set them.
echo 2 >$SYSCTL/perf_event_paranoid
echo 1 >$SYSCTL/kptr_restrict
record root
grant
record capable as_user
echo 3 >$SYSCTL/perf_event_paranoid
record stricter as_user
echo 2 >$SYSCTL/perf_event_paranoid
grant cap_dac_read_search
record unreadable as_user
grant cap_syslog
record nameless as_user
grant cap_ipc_lock
record unlocked as_user
echo 16384 >$SYSCTL/perf_event_mlock_kb
record raised as_user
echo 516 >$SYSCTL/perf_event_mlock_kb
setcap -r "$PROGRAM"
for level in -1 0 1 2 3 4; do
	echo "$level" >$SYSCTL/perf_event_paranoid
	doctor "paranoid$level" as_user
done
run namespace unshare -U -r "$PROGRAM" doctor
# Root with the capabilities that containers have by default, and with those of
# the advice.
contained() { # extra-capabilities command...
	setpriv --bounding-set="-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap$1" "${@:2}"
}
: >/run/.containerenv
echo 2 >$SYSCTL/perf_event_paranoid
doctor container contained ""
record container_record contained ""
record allowed_container contained \
	,+perfmon,+sys_rawio,+dac_read_search,+syslog,+ipc_lock,+bpf
rm /run/.containerenv
echo 2 >$SYSCTL/kptr_restrict
doctor hidden
record hidden_record
echo 0 >$SYSCTL/kptr_restrict
busybox mount -t securityfs none /sys/kernel/security 2>/dev/null
if echo integrity >/sys/kernel/security/lockdown; then
	record integral
	echo confidentiality >/sys/kernel/security/lockdown
	doctor locked
	record locked_record
fi
rm "$PROGRAM"
cp -r . "$RESULTS"
