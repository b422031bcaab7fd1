#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records the cases of attribution_interrupts.sh
# named after the folder $1, the recorder $2 and the program $3, each into a
# folder with its name.
set -euo pipefail
RESULTS=$1 KTRACE=$2 PROGRAM=$3
shift 3
# shellcheck source=tests/e2e/guest_record.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_record.sh"

# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"

# Several CPUs trace faster than one of them empties the buffers.
BUFFER=8M
(($(nproc) == 1)) || BUFFER=64M

record_counted() { # name command...
	cat /proc/interrupts >"$1.before"
	basename "$(readlink -f /sys/block/vda/device)" >"$1.disk"
	record "$1" --buffer "$BUFFER" --events=attribution,irq -- "${@:2}" ||
		return
	cat /proc/interrupts >"$1.after"
}

# The CPU that a device's interrupts go to.
cpu_of() { # queue
	local irq
	irq=$(sed -n "s/^ *\([0-9]*\):.*-$1\.0\$/\1/p" /proc/interrupts | tail -1)
	cat "/proc/irq/$irq/effective_affinity_list" 2>/dev/null || echo 0
}

# A busy bystander where the interrupts come, while the rest runs.
beside_hog() { # cpu command...
	local hog
	"$PROGRAM" hog "$1" &
	hog=$!
	sleep 0.1
	shift
	"$@"
	kill "$hog"
	wait "$hog" 2>/dev/null || true
}

# A file that is on the disk only.
make_file() {
	dd if=/dev/urandom of=/scratch/source bs=64k count=8 status=none
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

read_disk() { # name
	local cpu
	cpu=$(cpu_of req)
	make_file
	beside_hog "$cpu" record_counted "$1" "$PROGRAM" reader \
		"$((($(nproc) - 1) - cpu))" /scratch/source
}

disk() { read_disk disk; }

# In a kernel whose handlers are threads.
threads() { read_disk threads; }

udp_pair() { # datagrams
	local said
	exec {said}< <(nsenter --net=/run/netns/right \
		"$PROGRAM" receiver 10.9.0.2 "$1")
	read -r _ <&"$said"
	nsenter --net=/run/netns/left "$PROGRAM" sender 10.9.0.2 "$1" 3
	# Wait for its end.
	cat <&"$said"
}

# Resolves the neighbours' addresses for an hour, and disables router discovery:
# on a busy host a recording lasts several seconds, and packets that the kernel
# itself sends then are on the time of any thread, which the judge would take
# for the sender.
meet() {
	local side device net=/proc/sys/net
	for side in left:eth0 right:eth1; do
		device=${side#*:}
		nsenter --net="/run/netns/${side%:*}" bash -c "
			echo 3600000 >$net/ipv4/neigh/$device/base_reachable_time_ms
			echo 1 >$net/ipv6/conf/$device/disable_ipv6"
	done
	udp_pair 2 >/dev/null
}

# Where there are two CPUs the pair is where the interrupts are not.
udp() {
	local cpu
	cpu=$(cpu_of input)
	meet
	export PROGRAM
	export -f udp_pair
	beside_hog "$cpu" record_counted udp \
		taskset -c "$((($(nproc) - 1) - cpu))" bash -c 'udp_pair 20'
}

# Each datagram waits until its neighbour's address is resolved: the answer to that
# (ARP) has the kernel send it, in a soft interrupt.
unresolved_pair() {
	local said
	exec {said}< <(nsenter --net=/run/netns/right \
		"$PROGRAM" receiver 10.9.0.2 10)
	read -r _ <&"$said"
	for _ in {1..10}; do
		nsenter --net=/run/netns/left busybox ip neigh flush dev eth0
		nsenter --net=/run/netns/left "$PROGRAM" sender 10.9.0.2 1 20
	done
	# Wait for its end.
	cat <&"$said"
}

arp() {
	meet
	export PROGRAM
	export -f unresolved_pair
	record_counted arp bash -c unresolved_pair
}

# The reader of a datagram comes 4 ms after it.
late_pair() {
	local said
	exec {said}< <(nsenter --net=/run/netns/right \
		"$PROGRAM" waiter 10.9.0.2 20 4)
	read -r _ <&"$said"
	nsenter --net=/run/netns/left "$PROGRAM" sender 10.9.0.2 20 8
	# Wait for its end.
	cat <&"$said"
}

network() {
	meet
	export PROGRAM
	export -f late_pair
	record_counted network bash -c late_pair
}

# Received packets pass a CPU's backlog.
rps() {
	meet
	# /sys of the namespace has its devices only.
	nsenter --net=/run/netns/right unshare --mount bash -ec '
		mount -t sysfs none /sys
		echo 1 >/sys/class/net/eth1/queues/rx-0/rps_cpus'
	export PROGRAM
	export -f late_pair
	record_counted rps bash -c late_pair
	nsenter --net=/run/netns/right unshare --mount bash -ec '
		mount -t sysfs none /sys
		echo 0 >/sys/class/net/eth1/queues/rx-0/rps_cpus'
}

# A connection between the two sides, and one within one of them.
stream_pair() { # sender's-side blocks
	local said
	exec {said}< <(nsenter --net=/run/netns/right "$PROGRAM" sink 10.9.0.2)
	read -r _ <&"$said"
	nsenter --net="/run/netns/$1" "$PROGRAM" streamer 10.9.0.2 "$2"
	# Wait for its end.
	cat <&"$said"
}

tcp() {
	meet
	export PROGRAM
	export -f stream_pair
	record_counted tcp bash -c 'stream_pair left 48'
}

loopback() {
	export PROGRAM
	export -f stream_pair
	record_counted loopback bash -c 'stream_pair right 16'
}

handshake_pair() {
	local said
	exec {said}< <(nsenter --net=/run/netns/right \
		"$PROGRAM" doorkeeper 10.9.0.2 10)
	read -r _ <&"$said"
	nsenter --net=/run/netns/right "$PROGRAM" knocker 10.9.0.2 10
	# Wait for its end.
	cat <&"$said"
}

handshakes() {
	export PROGRAM
	export -f handshake_pair
	record_counted handshakes bash -c handshake_pair
}

# On the CPU of the bystander.
sleep_() {
	beside_hog 0 record_counted sleep taskset -c 0 "$PROGRAM" sleeper 20
}

work() { record_counted work "$PROGRAM" writer /scratch/sink 8; }

# A kworker writes pages that have been dirty for 50 ms, ten times a second.
writeback() {
	local vm=/proc/sys/vm
	sync
	echo 10 >$vm/dirty_writeback_centisecs
	echo 5 >$vm/dirty_expire_centisecs
	record_counted writeback "$PROGRAM" dirtiers /scratch/first \
		/scratch/second 64
	echo 500 >$vm/dirty_writeback_centisecs
	echo 3000 >$vm/dirty_expire_centisecs
}

rcu() { record_counted rcu "$PROGRAM" forgetter 50; }

# The trace unit raises an NMI when a part of its buffer is full.
nmi() { BUFFER=1M record_counted nmi "$PROGRAM" forgetter 1000; }

free_kb() { sed -n 's/^MemFree: *\([0-9]*\) .*/\1/p' /proc/meminfo; }

# Takes all other free memory, as unused huge pages.
leave_free() { # KiB
	echo $((($(free_kb) - $1) / 2048)) >/proc/sys/vm/nr_hugepages
}

# Little memory is free besides the recorder's buffers, and some has pages of a file
# that kswapd may take.
reclaim() {
	find /scratch -type f -delete
	dd if=/dev/zero of=/scratch/cached bs=64k count=320 status=none
	sync
	leave_free $((150000 * $(nproc)))
	cat /scratch/cached >/dev/null
	record_counted reclaim "$PROGRAM" allocators 24
	echo 0 >/proc/sys/vm/nr_hugepages
	rm /scratch/cached
}

# No block of free memory is as large as a huge page, but much is free.
huge_pages() { # name defrag command...
	local held user name=$1 defrag=$2
	local thp=/sys/kernel/mm/transparent_hugepage
	shift 2
	leave_free $((500000 * $(nproc)))
	echo 0 >/proc/sys/vm/compaction_proactiveness
	echo madvise >$thp/enabled
	echo never >$thp/defrag
	echo 0 >$thp/khugepaged/defrag
	exec {held}< <("$PROGRAM" fragmenter $(($(free_kb) - 48000)))
	read -r user <&"$held"
	echo "$defrag" >$thp/defrag
	record_counted "$name" "$@"
	kill "$user"
	echo 0 >/proc/sys/vm/nr_hugepages
}

# They are freed by kcompactd.
compaction() {
	local bystander
	"$PROGRAM" bystander &
	bystander=$!
	BUFFER=32M huge_pages compaction defer "$PROGRAM" compactors \
		"$(pidof kcompactd0)"
	kill "$bystander"
}

# They are freed by who allocates them.
stalls() {
	local group=/sys/fs/cgroup/stalls
	# With two CPUs: as large as all of the trace, if the host stops the writer.
	local BUFFER=$BUFFER
	(($(nproc) == 1)) || BUFFER=128M
	mkdir $group
	huge_pages stalls always bash -c "echo 0 >$group/cgroup.procs
		exec '$PROGRAM' compactors $(pidof kcompactd0)"
	cat $group/memory.pressure >stalls.pressure
}

ipi() { record_counted ipi "$PROGRAM" pinger 20; }

(($# == 1)) || hold_symbols
for case in "$@"; do
	case $case in
	sleep) sleep_ ;;
	*) "$case" ;;
	esac
done
save_results "${KTRACE%/*}"
