#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's side of test_trace_unit.sh.
#
#	trace_unit_guest.sh RESULTS registers|ptwrite|breakpoint|interrupts|loss|mwait...
set -uo pipefail

readonly RESULTS=$1
shift
readonly WORK=/tmp/trace-unit
# shellcheck source=machine/tests/guest_perf.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_perf.sh"

# Offset 0x570 of the register file is IA32_RTIT_CTL.
write_ctl() { # bytes
	printf '%b' "$1" | dd of=/dev/cpu/0/msr bs=8 seek=174 count=1
}

registers() {
	local unit=/sys/bus/event_source/devices/intel_pt cap
	for cap in psb_cyc ip_filtering mtc ptwrite power_event_trace \
		event_trace tnt_disable cr3_filtering \
		topa_multiple_entries single_range_output num_address_ranges \
		mtc_periods cycle_thresholds psb_periods; do
		echo "$cap $(cat "$unit/caps/$cap")"
	done >"$RESULTS/caps"
	(cd "$unit/format" && head event notnt pwr_evt) |
		tr -s '\n' ' ' >"$RESULTS/formats"
	{
		write_ctl '\x04\x20\0\0\0\0\0\0' && echo "good ok"
		write_ctl '\x40\0\0\0\0\0\0\0' || echo "fabric refused"
		write_ctl '\0\0\0\0\0\0\0\x80' || echo "reserved refused"
		write_ctl '\0\0\0\0\0\0\0\0' && echo "off ok"
	} >"$RESULTS/faults"
}

ptwrite() {
	perf record -B -N -q -o "$WORK/ptw" -e intel_pt/ptw=1,fup_on_ptw=1/u \
		-- "$RESULTS/ptwrite"
	perf script -i "$WORK/ptw" --itrace=w -F ip,synth >"$RESULTS/ptwrites"
}

breakpoint() {
	perf record -B -N -q -o "$WORK/int3" -e intel_pt//u \
		-- "$RESULTS/breakpoint" >"$RESULTS/place"
	perf script -D -i "$WORK/int3" | grep -oE ' (FUP|TIP.PGD) .*' \
		>"$RESULTS/ways-out"
}

# QEMU aborts if an Event Trace packet fills a region in the middle of a block,
# where it allows no interrupt, or if a counter overflows there.
interrupts() {
	perf record -B -N -q -o "$WORK/small" -m,16 -a -e intel_pt/event=1/k \
		-- busybox ls -lR /usr/bin >"$WORK/list" || return
	perf record -B -N -q -o "$WORK/samples" -e cycles,instructions -c 20000 \
		-- busybox md5sum "$WORK/list" >"$WORK/sum" || return
	perf script -i "$WORK/samples" -F event | sort | uniq -c \
		>"$RESULTS/samples"
	perf stat -x ' ' -o "$RESULTS/counts" \
		-e cycles:u,instructions:u,cycles:k busybox md5sum "$WORK/list"
	perf stat -x ' ' -o "$RESULTS/branches" -e \
		instructions:u,branches:u,r40c4:u,r40c4:k busybox md5sum "$WORK/list"
}

loss() {
	perf record --kcore -B -N -q -m,16M -o "$RESULTS/loss" \
		-e intel_pt/cyc=1/k -- busybox ls -lR /etc/default /etc/init.d \
		/etc/apt
}

# Records a guest that idles by MWAIT, which has its own packet.
mwait() {
	perf record --kcore -B -N -q -a -o "$RESULTS/mwait" \
		-e intel_pt/pwr_evt=1/k -- busybox sleep 0.05
}

mkdir "$WORK"
find "/lib/modules/$(uname -r)" -name 'msr.ko*' -exec xz -dcf {} + \
	>"$WORK/msr.ko"
busybox insmod "$WORK/msr.ko"
make_perf_fast
for part; do
	"$part" || exit
done
