# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# perf of arm64 as referee of CoreSight recordings: what the tests that ask it
# share, behind e2e_test.sh.

# perf itself, in QEMU's user mode, which takes 10 s for 30,000 branches; its
# symbols are fewer so that it starts sooner.
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

# What each CPU executed, by perf and by us.  perf's -C looks at whose buffer
# the trace is in.
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

# Of the first so many CPUs; options as perf and ktrace-hw take them.
expect_perf_agrees() { # recording cpus least option...
	local cpu
	decode_by_perf "$1" "${@:4}"
	"$KTRACE" dump --blocks "${@:4}" -i "$WORK/$1" \
		>"$WORK/ours.blocks" 2>"$WORK/ours.err"
	for ((cpu = 0; cpu < $2; cpu++)); do
		compare_cpu "$1" "$cpu" "$3"
	done
}
