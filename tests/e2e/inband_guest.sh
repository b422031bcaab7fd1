#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: the parts $3... of inband.sh, with the programs
# built in the folder $2; their output and files are saved in the folder $1.
set -uo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1 BUILD=$2 PROGRAMS=$2/tests/e2e/programs SLOW_WEB=$2/docs/tutorial/slow_web
# The built libraries, which the machine's own files may lack.
export LD_LIBRARY_PATH=$2/lib
shift 2
readonly LIMIT_S=10
mkdir -p /dev/shm/work
cd /dev/shm/work || exit 1

# Tracing and reading the kernel's code are denied; the program reports why.
denied() {
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	run denied setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$PROGRAMS/inband" examples . /dev/null
	echo -1 >/proc/sys/kernel/perf_event_paranoid
}

request() { # line
	exec 3<>/dev/tcp/127.0.0.1/8080
	printf '%s HTTP/1.0\r\n\r\n' "$1" >&3
	timeout "$LIMIT_S" wc -c <&3 >>web.sizes
	exec 3<&-
}

# Each file once from the disk and once from memory; then an order.
web() {
	local path
	if command -v ip >/dev/null; then
		ip link set lo up
	else
		busybox ip link set lo up
	fi
	mkdir -p /scratch/www
	for path in 1 2 3; do
		head -c 65536 /dev/urandom >"/scratch/www/$path"
	done
	sync
	echo 3 >/proc/sys/vm/drop_caches
	run web "$SLOW_WEB" 8080 /scratch/www 500 7 &
	for _ in $(seq 200); do
		! grep -q ready web.err 2>/dev/null || break
		sleep 0.05
	done
	for path in 1 2 3 1 2 3; do
		request "GET /$path"
	done
	request "POST /order"
	wait
}

for part in "$@"; do
	case $part in
	denied | web) "$part" ;;
	# With two CPUs the clock does not stand still while the host reads files: no
	# time limit here would hold. unit: in a machine without a trace unit.
	unit | hotplug)
		"$PROGRAMS/inband" "${part/unit/examples}" . /dev/null \
			>"$part.out" 2>"$part.err"
		echo $? >"$part.code"
		;;
	cost)
		head -c 8192 /dev/zero >zeros
		run cost "$PROGRAMS/inband_cost" zeros
		;;
	*) run "$part" "$PROGRAMS/inband" "$part" . /scratch/file ;;
	esac
	# Without the right to read the symbols the kernel's own file is used.
	[[ $part != denied ]] || hold_symbols
done
save_results "$BUILD" ./*
