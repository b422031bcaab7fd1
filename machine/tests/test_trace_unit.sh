#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the unit does at its registers and what stock perf sees of it, beyond
# the flow of branches (conformance.sh): capabilities, faults, PTWRITE, loss,
# idling by MWAIT, interrupts of full regions and of counters.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "$0")")/machine_test.sh"

# Offset 0x570 of the register file is IA32_RTIT_CTL.
# shellcheck disable=SC2016 # expanded in the guest
IN_GUEST='
	cd "$1"
	caps=/sys/bus/event_source/devices/intel_pt/caps
	for cap in psb_cyc ip_filtering mtc ptwrite power_event_trace \
		event_trace tnt_disable cr3_filtering \
		topa_multiple_entries single_range_output num_address_ranges \
		mtc_periods cycle_thresholds psb_periods; do
		echo "$cap $(cat "$caps/$cap")"
	done >caps
	(cd /sys/bus/event_source/devices/intel_pt/format &&
		head event notnt pwr_evt) | tr -s "\n" " " >formats
	find "/lib/modules/$(uname -r)" -name "msr.ko*" -exec xz -dcf {} + \
		>/tmp/msr.ko
	busybox insmod /tmp/msr.ko
	write_ctl() { # bytes
		printf "$1" | dd of=/dev/cpu/0/msr bs=8 seek=174 count=1
	}
	write_ctl "\x04\x20\0\0\0\0\0\0" && echo "good ok" >faults
	write_ctl "\x40\0\0\0\0\0\0\0" || echo "fabric refused" >>faults
	write_ctl "\0\0\0\0\0\0\0\x80" || echo "reserved refused" >>faults
	write_ctl "\0\0\0\0\0\0\0\0" && echo "off ok" >>faults
	perf record -B -N -q -o /tmp/ptw -e intel_pt/ptw=1,fup_on_ptw=1/u \
		-- ./ptwrite
	perf script -i /tmp/ptw --itrace=w -F ip,synth >ptwrites
'

test_registers() {
	cc -O1 -o "$WORK/ptwrite" "$HERE/ptwrite.c"
	capture "$MACHINE" run --fast --results "$WORK" --timeout "$LIMIT_S" -- \
		bash -c "$IN_GUEST" guest "$WORK"
	expect "exit code" 0 "$CODE"
	expect "capabilities" \
		"1 1 1 1 1 1 1 1 1 1 4 249 3fff 3f" \
		"$(cut -d' ' -f2 "$WORK/caps" | tr '\n' ' ' | sed 's/ $//')"
	expect "format files" \
		"==> event <== config:31 ==> notnt <== config:55 ==> pwr_evt <== config:4 " \
		"$(<"$WORK/formats")"
	expect "reserved bits raise a fault" \
		"good ok,fabric refused,reserved refused,off ok," \
		"$(tr '\n' ',' <"$WORK/faults")"
	expect "ptwrite of a register, its half, and memory" \
		"0x1111222233334444,0x33334444,0x3333444455556666," \
		"$(grep -o 'payload: 0x[0-9a-f]*' "$WORK/ptwrites" |
			cut -d' ' -f2 | tr '\n' ',')"
}

count_packets() { # recording packet
	perf script -D -i "$1" 2>/dev/null | grep -c " $2" || true
}

test_loss() {
	capture "$MACHINE" run --fast --loss 20000 --results "$WORK" --timeout "$LIMIT_S" -- \
		perf record --kcore -B -N -q -m,16M -o "$WORK/loss" \
		-e intel_pt/cyc=1/k -- busybox ls -lR /etc/default /etc/init.d \
		/etc/apt
	expect "loss: exit code" 0 "$CODE"
	local overflows
	overflows=$(count_packets "$WORK/loss" OVF)
	# Its summary goes to stderr, in the middle of a line if it may.
	perf script -i "$WORK/loss" --itrace=e >"$WORK/errors" 2>"$WORK/summary"
	expect "loss: the trace has overflows" yes \
		"$( ((overflows > 5)) && echo yes)"
	expect "loss: perf reports each of them" "$overflows" \
		"$(grep -c 'Overflow packet' "$WORK/errors")"
	expect "loss: perf reports nothing else" "" \
		"$(grep -v 'Overflow packet' "$WORK/errors")"
}

# QEMU aborts if a packet of Event Trace fills a region in a block's middle,
# where it allows no interrupt, or if a counter overflows there.
# shellcheck disable=SC2016 # expanded in the guest
INTERRUPTS='
	perf record -B -N -q -o /tmp/small -m,16 -a -e intel_pt/event=1/k \
		-- busybox ls -lR /usr/bin >/tmp/list
	perf record -B -N -q -o /tmp/samples -e cycles,instructions -c 20000 \
		-- busybox md5sum /tmp/list >/tmp/sum
	perf script -i /tmp/samples -F event | sort | uniq -c >"$1/samples"
	perf stat -x " " -o "$1/counts" -e cycles:u,instructions:u,cycles:k \
		busybox md5sum /tmp/list
'

test_interrupts() {
	capture "$MACHINE" run --fast --results "$WORK" --timeout "$LIMIT_S" -- \
		bash -c "$INTERRUPTS" guest "$WORK"
	expect "interrupts: exit code" 0 "$CODE"
	expect "counters: both interrupt" "cycles: instructions:" \
		"$(awk '$1 > 10 { print $2 }' "$WORK/samples" | paste -sd ' ')"
	# An instruction takes a cycle here.
	expect "counters: user code's instructions and cycles" same \
		"$(awk '/cycles:u/ { cycles = $1 }
			/instructions:u/ { instructions = $1 }
			END { good = cycles > 100000 && cycles == instructions
			      print good ? "same" : cycles " " instructions }' \
			"$WORK/counts")"
	expect "counters: the kernel's cycles" yes \
		"$(awk '/cycles:k/ && $1 > 100000 { print "yes" }' \
			"$WORK/counts")"
}

# The guest idles by MWAIT, which has a packet of its own.
test_mwait() {
	capture "$MACHINE" run --fast --unit mwait=on --results "$WORK" \
		--timeout "$LIMIT_S" -- \
		perf record --kcore -B -N -q -a -o "$WORK/mwait" \
		-e intel_pt/pwr_evt=1/k -- busybox sleep 0.05
	expect "mwait: exit code" 0 "$CODE"
	local name counts=''
	for name in MWAIT PWRE EXSTOP PWRX; do
		counts+=" $(count_packets "$WORK/mwait" "$name")"
	done
	expect "mwait: each has all four packets" yes "$(
		awk '{ good = $1 > 0 && $1 == $2 && $1 == $3 && $1 == $4
		       print good ? "yes" : $0 }' <<<"$counts"
	)"
}

skip_without_machine 6.12
test_registers
test_loss
test_interrupts
test_mwait
