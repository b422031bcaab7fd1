# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# perf of arm64 as referee of CoreSight recordings: what the tests that ask it
# share, behind e2e_test.sh.

# Runs perf in QEMU's user mode, which takes 10 s for 30,000 branches; its
# symbol list is shortened so that it starts sooner.
decode_by_perf() { # recording perf-option...
	local copy=$WORK/for-perf
	rm -rf "$copy"
	cp -r "$WORK/$1" "$copy"
	awk 'NR % 100 == 1 || $3 ~ /^_(text|stext|etext|edata|end)$/' \
		"$WORK/$1/kcore_dir/kallsyms" >"$copy/kcore_dir/kallsyms"
	HOME=$WORK qemu-aarch64 -L "$ARM64_FILES" "$ARM64_FILES/usr/bin/perf" \
		script "${@:2}" -i "$copy" --itrace=b -F cpu,ip,addr,flags \
		>"$WORK/perf.branches" 2>"$WORK/perf.err"
	expect "$1: perf has nothing to say against it" "" "$(<"$WORK/perf.err")"
}

# Compares the branches of each CPU in perf and ktrace-hw. perf's -C selects by
# the buffer's CPU.
compare_cpu() { # recording cpu least
	local code=0
	grep -F "$(printf '[%03d]' "$2")" "$WORK/perf.branches" \
		>"$WORK/perf.cpu" || true
	awk -v cpu="$2" '$1 == "stream" { here = $4 == cpu } here' \
		"$WORK/ours.blocks" >"$WORK/ours.cpu"
	python3 "$ROOT/tests/coresight_perf.py" "$WORK/perf.cpu" \
		"$WORK/ours.cpu" "$3" >"$WORK/compared" 2>&1 || code=$?
	expect "$1, CPU $2: perf's branches: $(tail -n 1 "$WORK/compared")" \
		0 "$code"
}

# For the given number of CPUs; options as for perf and ktrace-hw.
expect_perf_agrees() { # recording cpus least option...
	local cpu
	decode_by_perf "$1" "${@:4}"
	"$KTRACE" dump --blocks "${@:4}" -i "$WORK/$1" \
		>"$WORK/ours.blocks" 2>"$WORK/ours.err"
	for ((cpu = 0; cpu < $2; cpu++)); do
		compare_cpu "$1" "$cpu" "$3"
	done
}
