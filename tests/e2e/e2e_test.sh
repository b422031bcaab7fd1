# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the end-to-end tests share: the programs, and one line for each case.
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
MACHINE=${MACHINE:-$ROOT/machine/host/machine}
WORK=$(mktemp -d)
FAILURES=0
# After this time a machine is assumed to hang: longer than on any busy host.
# shellcheck disable=SC2034 # the tests read it
readonly LIMIT_S=1200
# The arm64 machine's own files.
ARM64_FILES=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/roots/arm64
readonly HERE ROOT MACHINE WORK ARM64_FILES

# Options for recording, and the paths of the checkout and build in the guest.
# shellcheck disable=SC2034 # the tests read it
GUEST_OPTIONS=() GUEST_ROOT=$ROOT GUEST_BUILD=$(dirname "$KTRACE")
IS_ARM64=0

# KEEP=DIR keeps the recordings there.
finish() {
	local code=$?
	((code)) || check_engines
	[[ -z ${KEEP:-} ]] || cp -r "$WORK/." "$KEEP"
	rm -rf "$WORK"
	((code == 0)) || exit "$code"
	((FAILURES == 0)) || exit 1
}
trap finish EXIT

# Runs a command in the machine of the test's KERNEL and CPUS.
in_machine() { # option... -- command...
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" \
		--kernel "$KERNEL" --cpus "$CPUS" --timeout "$LIMIT_S" "$@"
}

# Skips a test that lacks a program or the machine, and makes its own programs.
prepare_machine() { # program...
	local program
	for program; do
		need "$program"
	done
	skip_without_machine "$KERNEL"
	make_programs
}

skip_without_machine() { # kernel
	"$MACHINE" fetch "${GUEST_OPTIONS[@]}" --kernel "$1" \
		>"$WORK/fetch" 2>&1 && return
	printf 'skipped: %s: no machine: %s\n' "${0##*/}" \
		"$(tail -n 1 "$WORK/fetch")"
	exit 0
}

need_arm64_program() {
	[[ ! -x $ROOT/build-arm64/ktrace-hw ]] || return 0
	printf 'skipped: %s: no program for arm64: %s\n' "${0##*/}" \
		"scripts/arm64_sysroot.sh, make ARCH=arm64"
	exit 0
}

# Records in the arm64 machine from now on, where this computer's files are at
# /host; reports find both those and the machine's own.
use_arm64() {
	need_arm64_program
	# shellcheck disable=SC2034 # the tests read it
	GUEST_ROOT=/host$ROOT GUEST_BUILD=/host$ROOT/build-arm64
	IS_ARM64=1 GUEST_OPTIONS=(--arch arm64)
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\ncommand=$1\nshift\nexec %q "$command" --symfs %q "$@"\n' \
		"$KTRACE" "$WORK/symfs" >"$WORK/ktrace-hw"
	chmod +x "$WORK/ktrace-hw"
	KTRACE=$WORK/ktrace-hw
	mkdir "$WORK/symfs"
	ln -s "$ARM64_FILES"/* "$WORK/symfs"
	ln -sn / "$WORK/symfs/host"
}

# For a test with more arguments, whose first may be --arm64, which it then shifts
# away:
#	take_arm64 "$@"
#	shift "$IS_ARM64"
take_arm64() { # argument...
	[[ ${1:-} != --arm64 ]] || use_arm64
}

# Sets KERNEL and CPUS by a test's arguments, and uses the arm64 machine if the
# first is --arm64.
take_machine() { # [--arm64] [kernel [cpus]]
	take_arm64 "$@"
	shift "$IS_ARM64"
	# shellcheck disable=SC2034 # the tests read it
	KERNEL=${1:-6.12} CPUS=${2:-1}
}

# Records programs that wait into $WORK, with a slow disk.
record_waits() { # kernel cpus disk-delay-ms case...
	"$MACHINE" run --discard --fast "${GUEST_OPTIONS[@]}" --kernel "$1" \
		--cpus "$2" --disk-size 64 --disk-delay "$3" --timeout "$LIMIT_S" \
		--results "$WORK" -- \
		bash "$GUEST_ROOT/tests/e2e/waits_guest.sh" "$WORK" \
		"$GUEST_BUILD/ktrace-hw" \
		"$GUEST_BUILD/tests/e2e/programs" "${@:4}"
}

# Divides "option... -- rest..." into the arrays OPTIONS and REST.
divide() { # option... -- rest...
	OPTIONS=()
	while [[ $1 != -- ]]; do
		OPTIONS+=("$1")
		shift
	done
	REST=("${@:2}")
}

# Already done if all tests are run (PROGRAMS_MADE).
make_programs() {
	local -a options=()
	[[ -z ${PROGRAMS_MADE:-} ]] || return 0
	((!IS_ARM64)) || options=(ARCH=arm64)
	make -s -C "$ROOT" "${options[@]}" e2e-programs >/dev/null
}

need() { # program
	command -v "$1" >/dev/null && return
	printf 'skipped: %s: no %s here\n' "${0##*/}" "$1"
	exit 0
}

ok() { # case
	printf 'ok: %s\n' "$1"
}

not_ok() { # case detail
	printf 'FAILED: %s: %s\n' "$1" "$2"
	FAILURES=$((FAILURES + 1))
}

expect() { # case wanted got
	expect_that "$1" "$3" = "$2"
}

# Reports a case as passed if its condition, arguments of test(1), holds.
expect_that() { # case condition...
	local name=$1
	shift
	if test "$@"; then
		ok "$name"
	else
		not_ok "$name" "not $*"
	fi
}

# Checks that both engines agree on all recordings of a test, except PTM and
# function_graph, which only one supports (exit code 2), and large ones, which
# take long: the size limit depends on the tier.
check_engines() {
	local data name code most_mb=4
	[[ -z ${KTRACE_FULL:-} ]] || most_mb=64
	for data in "$WORK"/*/data; do
		name=$(basename "$(dirname "$data")")
		[[ -f $data && $(stat -c %s "$data") -lt $((most_mb << 20)) ]] || continue
		code=0
		"$KTRACE" verify "${data%/data}" >"$WORK/verify" 2>&1 || code=$?
		if ((code == 0)); then
			ok "$name: $(grep -o '^.*: [0-9]* events.*' "$WORK/verify" |
				sed 's/^stream //' | paste -sd ';')"
		elif ((code != 2)); then
			not_ok "$name: engines differ" "$(cat "$WORK/verify")"
		fi
	done
}

# Prints a number from report about a recording or, summed up, its CPUs.
summary_of() { # recording recording|cpu name [option...]
	"$KTRACE" report -i "$1" "${@:4}" --format=json 2>/dev/null |
		python3 -c '
import json, sys
report = json.load(sys.stdin)
parts = report["cpus"] if sys.argv[1] == "cpu" else [report["recording"]]
print(sum(part[sys.argv[2]] for part in parts))' "$2" "$3"
}

# Whether the end of a packet before a PSB looks like a PSB's start (02 82):
# perf then misplaces the PSB, and crashes if that is the first.
has_doubtful_psb() { # recording
	LC_ALL=C grep -qaP '(\x02\x82){9}' "$1/data"
}

# Checks that perf reads the recording as calls and returns and as a profile,
# without errors.
expect_perf_reads() { # case recording
	local lines=0
	perf script --itrace=cr -i "$2" >"$WORK/perf.out" 2>"$WORK/perf.err" ||
		echo "perf script: exit code $?" >>"$WORK/perf.err"
	lines=$(wc -l <"$WORK/perf.out")
	perf report --stdio -i "$2" >"$WORK/perf.out" 2>>"$WORK/perf.err" ||
		echo "perf report: exit code $?" >>"$WORK/perf.err"
	if grep -q 'exit code 139' "$WORK/perf.err" && has_doubtful_psb "$2"; then
		printf 'note: %s: perf crashed at its first PSB\n' "$1"
	elif [[ -s $WORK/perf.err ]]; then
		not_ok "$1" "perf: $(head -n 3 "$WORK/perf.err")"
	else
		expect_that "$1" "$lines" -gt 1000
	fi
}

# Calls of each function as in perf, which stumbles over switch records.
expect_perf_counts() { # case recording
	rm -rf "$WORK/changed"
	cp -r "$2" "$WORK/changed"
	if KTRACE_COMPARE=$WORK/changed "$ROOT/build/tests/test_perf_counts" \
		>"$WORK/counts" 2>&1; then
		ok "$1"
	else
		not_ok "$1" "$(grep -v '^Running' "$WORK/counts" | head -n 5)"
	fi
	rm -rf "$WORK/changed"
}
