#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report --between, --function, --user-sites, flame graphs of wall time and the
# profile across the border of user and kernel, on programs whose truth is
# known.
#
#	attribution_relations.sh [--arm64] [KERNEL [CPUS]]
#
# With two CPUs only the omissions of reports are judged: times are the host's.
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
take_arm64 "$@"
shift "$IS_ARM64"
ARCH=x86_64 PREADV=__x64_sys_preadv
((!IS_ARM64)) || ARCH=arm64 PREADV=__arm64_sys_preadv
KERNEL=${1:-6.12}
CPUS=${2:-1}

report() { # file recording option...
	local file=$1 recording=$2
	shift 2
	"$KTRACE" report -i "$WORK/$recording" "$@" >"$WORK/$file"
}

flame() { # file recording option...
	local file=$1 recording=$2
	shift 2
	"$KTRACE" flamegraph -i "$WORK/$recording" "$@" >"$WORK/$file"
}

kernel_reports() {
	report between.json kernel --comm relations --format=json \
		--between "$PREADV" filemap_read
	report pipe.json kernel --comm relations --format=json \
		--function pipe_read
	report all.json kernel --format=json --function filemap_read
	report flat.csv kernel --flat --with-tracer --format=csv
	report tracer.csv kernel --tracer --format=csv
	report scope.txt kernel --flat --top 1
	report scope.csv kernel --flat --format=csv 2>"$WORK/scope.said"
	report idle.csv kernel --flat --with-idle --format=csv
	report whole.csv kernel --flat --with-idle --with-tracer --format=csv
	report scope.json kernel --threads --format=json 2>"$WORK/recorder.said"
	report callgraph.csv kernel --callgraph --with-tracer --format=csv
	report summary.json kernel --threads --with-tracer --format=json
	report callgraph_scope.csv kernel --callgraph --format=csv
	report sleeps.csv kernel --sleeps --format=csv 2>"$WORK/sleeps.said"
	report sleeps_whole.csv kernel --sleeps --with-idle --with-tracer \
		--format=csv
	flame scope_flame.txt kernel --folded
	flame whole_flame.txt kernel --folded --with-idle --with-tracer
	flame wall.txt kernel --wall --with-idle --with-tracer --folded
	flame off.txt kernel --off-cpu --with-idle --with-tracer --folded
	flame busy.txt kernel --wall --with-tracer --folded
	flame wall.svg kernel --wall --with-idle --with-tracer
}

border_reports() {
	report border.csv border --comm relations --callgraph --format=csv
	report border.json border --with-tracer --format=json
	flame border.txt border --comm relations --folded
	flame border_wall.txt border --wall --with-idle --with-tracer \
		--folded
	"$KTRACE" export --format=gmon -i "$WORK/border" --comm relations \
		-o "$WORK/gmon"
	gprof -b -q "$WORK/gmon.elf" "$WORK/gmon" >"$WORK/gprof.txt"
	gprof -b -p "$WORK/gmon.elf" "$WORK/gmon" >"$WORK/gprof_flat.txt"
	report border_flat.csv border --comm relations --flat --format=csv
	report sites.json sites --comm relations --user-sites --format=json
	report stacks.json stacks --comm relations --user-sites --format=json
	report recorder.json stacks --comm ktrace-hw --with-tracer --user-sites \
		--format=json
	report missing.txt kernel --comm relations --user-sites
}

# Tables of a recording without events report the missing events and the option
# that records them.
check_bare() {
	local option
	for option in sleeps servers syscalls user-sites; do
		report bare.txt bare --"$option"
		expect_that "bare: --$option says how to record" \
			"$(grep -c 'Not recorded: .*(record --' "$WORK/bare.txt")" -ge 1
	done
	report bare.txt bare --interrupts
	expect_that "bare: --interrupts says how to record" \
		"$(grep -c 'Not recorded: .*--events=attribution' \
			"$WORK/bare.txt")" = 1
	"$KTRACE" sql --format=csv "$WORK/bare" "SELECT count(*), count(result),
		count(asleep_ns) FROM syscall" >"$WORK/bare.txt" \
		2>"$WORK/bare.said"
	expect_that "bare: columns of SQL without data are NULL" \
		"$(tail -n 1 "$WORK/bare.txt" | grep -c '^[1-9][0-9]*,0,0$')" = 1
	expect "bare: SQL says how to record" \
		"$(printf '%s' 'Not recorded: syscall.asleep_ns,' \
			' syscall.result: the recording has no' \
			' sched:sched_waking, raw_syscalls:sys_exit' \
			' (record --events=sched,syscalls).')" \
		"$(grep 'Not recorded' "$WORK/bare.said")"
	"$KTRACE" diff "$WORK/bare" "$WORK/kernel" >"$WORK/bare.txt"
	expect_that "bare: diff does not compare sleeps" \
		"$(grep -A2 'Where processes slept' "$WORK/bare.txt" |
			grep -c 'not recorded, see below')" = 1
	expect_that "bare: diff says how to record" \
		"$(grep -c 'bare: Not recorded: .*, sleeps: .*--events=sched' \
			"$WORK/bare.txt")" = 1
	"$KTRACE" report -i "$WORK/bare" --html "$WORK/bare.html"
	expect_that "bare: the page says how to record" \
		"$(grep -c '"missing":{"sleeps":"Not recorded: ' \
			"$WORK/bare.html")" = 1
	flame bare.txt bare --wall --folded
	expect_that "bare: --wall has unknown time" \
		"$(grep -c 'relations-.*unknown' "$WORK/bare.txt")" -ge 1
}

check_mistakes() {
	local code=0
	"$KTRACE" report -i "$WORK/kernel" --between vfs_reed filemap_read \
		2>"$WORK/mistake" >&2 || code=$?
	expect "an unknown function" 2 "$code"
	expect_that "similar names are suggested" \
		"$(grep -c 'did you mean.*vfs_read' "$WORK/mistake")" = 1
	code=0
	"$KTRACE" report -i "$WORK/kernel" --between vfs_read \
		2>"$WORK/mistake" >&2 || code=$?
	expect "--between of one function" 2 "$code"
	expect_that "what is missing is said" \
		"$(grep -c '(record --events=attribution,faults --user-stacks)' \
			"$WORK/missing.txt")" = 1
	report border_sleeps.txt border --comm relations --sleeps
	expect_that "the stacks of a trace of user code are not missing" \
		"$(grep -c 'user_stack' "$WORK/border_sleeps.txt")" = 0
}

main() {
	prepare_machine python3 gprof
	in_machine --results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/relations_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" \
		"$GUEST_BUILD/tests/e2e/programs/relations"
	kernel_reports
	if ((CPUS > 1)); then
		python3 "$HERE/judge_relations.py" "$WORK" "$ARCH" scope ||
			FAILURES=1
		return
	fi
	border_reports
	check_mistakes
	check_bare
	python3 "$HERE/judge_relations.py" "$WORK" "$ARCH" || FAILURES=$((FAILURES + 1))
	python3 "$HERE/judge_tables.py" "$KTRACE" "$WORK" \
		"$ROOT/docs/formats.md" || FAILURES=$((FAILURES + 1))
	if [[ $IS_ARM64-$KERNEL == 0-6.12 ]]; then
		python3 "$HERE/comparison.py" "$KTRACE" "$WORK/sites" \
			"$ROOT/docs/comparison.md" --user-sites ||
			FAILURES=$((FAILURES + 1))
	fi
}

main "$@"
