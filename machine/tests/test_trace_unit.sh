#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests the unit's registers and stock perf's use of it, beyond the control flow
# (conformance.sh): capabilities, faults, PTWRITE, loss, idling by MWAIT,
# interrupts of full regions and of counters.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "$0")")/machine_test.sh"

in_guest() { # machine-option... -- part...
	local -a options=()
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	capture "$MACHINE" run --discard --fast "${options[@]}" \
		--results "$WORK" --timeout "$LIMIT_S" -- \
		bash "$HERE/trace_unit_guest.sh" "$WORK" "${@:2}"
}

# Also makes the recording with interrupts that test_interrupts checks.
test_registers() {
	cc -O1 -o "$WORK/ptwrite" "$HERE/ptwrite.c"
	cc -O1 -o "$WORK/breakpoint" "$HERE/breakpoint.c"
	in_guest -- registers ptwrite breakpoint interrupts
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
	expect "an INT3's way out has its address" yes \
		"$(says_place "$(<"$WORK/place")" <"$WORK/ways-out")"
}

# Packets omit upper address bytes that equal the previous address's.
says_place() { # address
	awk -v place="$1" '$1 == "FUP" {
			said = substr($2, 3)
			while (length(said) % 4)
				said = "0" said
			fits = substr(place, length(place) - length(said) + 1) == said
		}
		$1 == "TIP.PGD" && fits { found = "yes" }
		END { print found }'
}

count_packets() { # recording packet
	perf script -D -i "$1" 2>/dev/null | grep -c " $2" || true
}

test_loss() {
	in_guest --loss 20000 -- loss
	expect "loss: exit code" 0 "$CODE"
	local overflows
	overflows=$(count_packets "$WORK/loss" OVF)
	# perf prints its summary to stderr, possibly in the middle of a line of
	# stdout.
	perf script -i "$WORK/loss" --itrace=e >"$WORK/errors" 2>"$WORK/summary"
	expect "loss: the trace has overflows" yes \
		"$( ((overflows > 5)) && echo yes)"
	expect "loss: perf reports each of them" "$overflows" \
		"$(grep -c 'Overflow packet' "$WORK/errors")"
	expect "loss: perf reports nothing else" "" \
		"$(grep -v 'Overflow packet' "$WORK/errors")"
}

test_interrupts() {
	expect "counters: both interrupt" "cycles: instructions:" \
		"$(awk '$1 > 10 { print $2 }' "$WORK/samples" | paste -sd ' ')"
	# Each instruction takes one cycle here.
	expect "counters: user code's instructions and cycles" same \
		"$(awk '/cycles:u/ { cycles = $1 }
			/instructions:u/ { instructions = $1 }
			END { good = cycles > 100000 && cycles == instructions
			      print good ? "same" : cycles " " instructions }' \
			"$WORK/counts")"
	expect "counters: the kernel's cycles" yes \
		"$(awk '/cycles:k/ && $1 > 100000 { print "yes" }' \
			"$WORK/counts")"
	# System calls are far branches of user code, and their returns of the
	# kernel, which interrupts and faults enter without a branch.
	expect "counters: branches, and far branches" yes \
		"$(awk '{ count[$2] = $1 }
			END { branches = count["branches:u"]
			      calls = count["r40c4:u"]
			      good = calls > 10 && calls < count["r40c4:k"] &&
				     branches > 10 * calls &&
				     branches < count["instructions:u"] / 2
			      if (good)
				      print "yes"
			      for (name in count)
				      if (!good)
					      print name, count[name] }' \
			"$WORK/branches")"
}

test_mwait() {
	in_guest --unit mwait=on -- mwait
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
# This starts a separate machine for four packets that test_pt_events tests,
# too.
[[ -z ${KTRACE_FULL:-} ]] || test_mwait
