#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016 # the guest's shell expands them
# Tests CPUs, memory, the scratch disk and the network; with the older kernel
# only the network, and the rest in the full tier.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"

# All queries of a machine in one run if possible, since each start takes
# seconds.
readonly ASK_MACHINE='
	nproc
	uname -r | cut -d . -f 1,2
	test -e "/lib/modules/$(uname -r)/modules.builtin" && echo modules
	awk "/MemTotal/ { print (\$2 > 900000 && \$2 < 1048576) }" /proc/meminfo
	cat /proc/sys/kernel/perf_event_paranoid
	ls /sys/kernel/tracing | grep -c "^events$"
	echo text >/dev/stderr; test -t 0 || echo pipe
	ls /dev/fd >/dev/null && test -w /dev/shm && echo dev'
readonly ASK_DISK='
	stat -f -c %T /scratch
	head -c 9000000 /bin/bash /dev/zero | head -c 9000000 >/scratch/file
	sum=$(cksum </scratch/file)
	sync; echo 3 >/proc/sys/vm/drop_caches
	before=$(cut -d " " -f 3 /sys/block/vda/stat; awk "{print \$3}" /sys/block/vda/stat)
	test "$(cksum </scratch/file)" = "$sum" && echo same
	test "$(awk "{print \$3}" /sys/block/vda/stat)" -gt "$(tail -n 1 <<<"$before")" && echo read'
# Sends a line through the two devices, from one namespace to the other, once
# the receiver listens. If it does not arrive, prints the counters of both
# sides.
readonly ASK_NETWORK='
	side() { # left|right command...
		nsenter --net=/run/netns/$1 "${@:2}"
	}
	failed() {
		for name in left right; do
			side $name cat /proc/net/{dev,arp,tcp} >&2
		done
		exit 1
	}
	exec 3< <(side right timeout 300 perl -MIO::Socket::INET -e "
		\$| = 1;
		\$s = IO::Socket::INET->new(Listen => 1, LocalPort => 7,
			ReuseAddr => 1) or die; print qq(listening\n);
		\$c = \$s->accept; print \$c->peerhost, q( ), scalar <\$c>")
	read -r listening <&3 && echo "$listening" || failed
	side left bash -c "echo hello >/dev/tcp/10.9.0.2/7" || failed
	read -r heard <&3 && echo "$heard" || failed
	side left cat /proc/net/dev | grep -c eth0'

test_all() { # kernel
	run --kernel "$1" --memory 1024 --disk-size 64 --net -- \
		bash -c "$ASK_MACHINE; echo; $ASK_DISK; echo; $ASK_NETWORK"
	expect "kernel $1" "2,${1%.*}.${1##*.},modules,1,-1,1,pipe,dev" \
		"$(answer 1)"
	expect "scratch disk, kernel $1" "ext2/ext3,same,read" "$(answer 2)"
	expect_network "$1" 3
}

# Prints one part of the command's output; empty lines separate the parts.
answer() { # number
	awk -v number="$1" -v RS= 'NR == number' <<<"$OUT" | paste -sd ,
}

test_network() { # kernel
	run --kernel "$1" --net -- bash -c "$ASK_NETWORK"
	expect_network "$1" 1
}

expect_network() { # kernel number-of-the-answer
	expect "network, kernel $1" "listening,10.9.0.1 hello,1" "$(answer "$2")"
}

# A round trip takes two packets, so it takes more than one delay.
test_network_delay() {
	run --net --net-delay 200 -- bash -c '
		start=$(date +%s%N)
		nsenter --net=/run/netns/left bash -c \
			"echo >/dev/tcp/10.9.0.2/7" 2>/dev/null
		echo $((($(date +%s%N) - start) / 1000000 >= 200))'
	expect "network, with a delay" 1 "$OUT"
}

for kernel in 6.12 6.1; do
	skip_without_machine "$kernel"
	if [[ $kernel == 6.12 || ${KTRACE_FULL:-} ]]; then
		test_all "$kernel"
	else
		test_network "$kernel"
	fi
done
test_network_delay
