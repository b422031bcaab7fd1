#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Decodes recordings from the arm64 machine with ktrace-hw and compares them with
# the ground truth.  Stock perf makes them, or, if named ours-..., our recorder.
#
#	conformance_arm64.sh [--kernel KERNEL] [CPUS [RECORDING...]]
#
# One boot.  Prints a line per recording and CPU; exits 1 if any differs from the
# truth, in the order of branches or (timestamps, one CPU) in time.
# KEEP=DIR stores the recordings in DIR.
set -euo pipefail

# shellcheck source=machine/tests/machine_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/machine_test.sh"

readonly BUILD=$HERE/../../build
readonly TOOL=${KTRACE_MACHINE_BUILD:-$BUILD/machine}/tests/tool_blocks
readonly KTRACE_HW=${KTRACE_HW:-$BUILD/ktrace-hw}
readonly ARM_KTRACE=${ARM_KTRACE:-$BUILD-arm64/ktrace-hw}
readonly ROOT=${XDG_CACHE_HOME:-$HOME/.cache}/ktrace-hw/roots/arm64
# The filter must be last: a session in which no filtered code ran is in the
# truth but not in the trace.
readonly ONE_CPU=(task task-times task-cycacc task-both task-user all
	all-times small-buffer tiny-buffer ours-task ours-user ours-all ours-cycles
	ours-patching filter)
readonly SEVERAL_CPUS=(task-times all all-times ours-moving ours-all
	ours-patching)

# Prints the traced levels in the form that tool_blocks accepts.
levels() { # dir recording
	local start size
	case $2 in
	task-both | all | ours-user) echo ku ;;
	task-user) echo u ;;
	small-buffer | tiny-buffer) echo kg ;;
	task-cycacc | ours-cycles) echo kc ;;
	filter)
		IFS=/ read -r start size <"$1/filter-range"
		printf 'k/%x-%x\n' $((start)) $((start + size))
		;;
	*) echo k ;;
	esac
}

# The machine's files, and this computer's below /host: our recorder runs from
# there, and its own code is in the trace of its command until exec().
make_symfs() {
	mkdir "$WORK/symfs"
	ln -s "$ROOT"/* "$WORK/symfs"
	ln -sn / "$WORK/symfs/host"
}

decode() { # dir recording
	local errors
	"$KTRACE_HW" dump --blocks --input="$1/$2" --symfs="$WORK/symfs" \
		>"$1/$2.blocks" 2>"$1/$2.errors" || fail "$2: dump fails"
	errors=$(grep -vE 'warning|note' "$1/$2.errors" || true)
	[[ -z $errors ]] || fail "$2: $errors"
}

check_boot() { # cpus recording...
	local cpus=$1 dir=$WORK/$1 name cpu
	local -a files=() options=() start=()
	shift
	mkdir -p "$dir"
	# With the host's clock, a resumed machine would use a clock speed that
	# the guest measured earlier.
	((cpus > 1)) || start=(--fast)
	if ! "$MACHINE" run --discard "${start[@]}" --arch arm64 --kernel "$KERNEL" --cpus "$cpus" \
		--memory 3072 --results "$dir" --truth "$dir" \
		--timeout "${TIMEOUT_S:-900}" -- \
		bash "/host$HERE/conformance_arm64_guest.sh" "$dir" \
		"/host$ARM_KTRACE" "$@"; then
		fail "$cpus CPUs: the machine failed"
		return
	fi
	for name in "$@"; do
		decode "$dir" "$name"
		files+=("$(levels "$dir" "$name"):$dir/$name.blocks")
	done
	# Measured: 9 to 69 ns, most where untraced code runs in between; 2 ns
	# with cycles counted up to each branch.
	((cpus > 1)) || options=(--time-p99 100)
	check_exactness "$dir" "$cpus"
	for ((cpu = 0; cpu < cpus; cpu++)); do
		"$TOOL" "${options[@]}" "$dir" "$cpu" "${files[@]}" ||
			fail "$cpus CPUs: CPU $cpu is not as the truth"
	done
}

main() {
	local cpus
	KERNEL=6.12
	if [[ ${1:-} == --kernel ]]; then
		KERNEL=$2
		shift 2
	fi
	cpus=${1:-1}
	shift $(($# < 1 ? $# : 1))
	skip_without_machine "$KERNEL" --arch arm64
	if [[ ! -x ${KTRACE_MACHINE_BUILD:-$BUILD/machine}/guest-init-arm64 ]]; then
		echo "skipped: ${0##*/}: no compiler for arm64 (gcc-aarch64-linux-gnu)"
		exit 0
	fi
	if [[ ! -x $ARM_KTRACE ]]; then
		echo "skipped: ${0##*/}: no program for arm64:" \
			"scripts/arm64_sysroot.sh, make ARCH=arm64"
		exit 0
	fi
	make_symfs
	if ((cpus == 1)); then
		check_boot 1 "${@:-${ONE_CPU[@]}}"
	else
		check_boot "$cpus" "${@:-${SEVERAL_CPUS[@]}}"
	fi
	rm -r "$WORK/symfs"
	[[ -z ${KEEP:-} ]] || cp -r "$WORK/." "$KEEP"
	((FAILURES == 0))
}

main "$@"
