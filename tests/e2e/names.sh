#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions of programs by their names, in the virtual machine: of a stripped
# program, of programs whose files no path of this computer leads to, of
# other languages' programs, and of fibers. The programs count their calls; judge_names.py
# compares.
#
#	names.sh [KERNEL [CPUS [CASE...]]]
set -euo pipefail

# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"

readonly KERNEL=${1:-6.12} CPUS=${2:-1}
readonly RUNTIMES=$ROOT/build/tests/e2e/programs/runtimes
PYTHON=
shift $(($# < 2 ? $# : 2))
CASES=("$@")
(($#)) || CASES=(run stripped shell memfd deleted pivot overlay chroot running
	budget cpp fibers-swap fibers-jump fibers-return)

# Makes a program of another language, or skips its case without a compiler.
make_runtime() { # case tool command...
	if ! type -t "$2" >/dev/null; then
		printf 'skipped: names.sh: %s: no %s\n' "$1" "$2"
		return 1
	fi
	(cd "$RUNTIMES" && "${@:2}" >&2)
}

make_boost() { # case source
	if [[ -f /usr/include/boost/fiber/fiber.hpp ]]; then
		make_runtime "$1" g++ -O2 -g -o contexts "$2" -lboost_fiber \
			-lboost_context -pthread
	else
		printf 'skipped: names.sh: %s: no Boost.Fiber\n' "$1"
		return 1
	fi
}

make_ocaml() { # source
	local version
	version=$(ocamlopt -version 2>/dev/null) || version=none
	if [[ $version == [5-9].* ]]; then
		cp "$1" "$RUNTIMES"
		make_runtime ocaml ocamlopt -g -o effects effects.ml
	else
		printf 'skipped: names.sh: ocaml: OCaml %s has no effects\n' \
			"$version"
		return 1
	fi
}

# Sets PYTHON to one with perf trampolines.
find_python() {
	local python
	for python in python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
		PYTHON=$("$python" -X perf -c 'import sys
sys.activate_stack_trampoline("perf")
print(sys.executable)' 2>"$WORK/python.err") && return
	done
	echo 'skipped: names.sh: python: none with perf trampolines'
	return 1
}

prepare() { # case
	local sources=$HERE/programs/runtimes
	case $1 in
	cpp) make_runtime cpp g++ -O2 -g -o templates "$sources/templates.cc" ;;
	boost-*) make_boost "$1" "$sources/contexts.cc" ;;
	ocaml) make_ocaml "$sources/effects.ml" ;;
	rust) make_runtime rust rustc --edition 2021 -O -g -o executor \
		"$sources/executor.rs" ;;
	go | goids) make_runtime "$1" go build -o goroutines "$sources/goroutines.go" ;;
	java | java-at-once) make_runtime "$1" javac -d . "$sources/Shop.java" ;;
	node) make_runtime node node --check "$sources/service.js" ;;
	luajit) make_runtime luajit luajit -b "$sources/traces.lua" /dev/null ;;
	python) find_python ;;
	esac
}

judge() { # case argument...
	python3 "$HERE/judge_names.py" "$KTRACE" "$WORK" "$@" || FAILURES=1
}

main() {
	local case programs=$ROOT/build/tests/e2e/programs
	local -a made=()
	skip_without_machine "$KERNEL"
	make_programs
	# The machine has this computer's files: reports find these by path.
	strip -o "$programs/named-stripped" "$programs/named-static"
	mkdir -p "$RUNTIMES"
	for case in "${CASES[@]}"; do
		! prepare "$case" || made+=("$case")
	done
	((${#made[@]})) || return 0
	in_machine --results "$WORK" -- \
		env "PYTHON=$PYTHON" bash "$GUEST_ROOT/tests/e2e/names_guest.sh" \
		"$WORK" "$GUEST_BUILD/ktrace-hw" "${made[@]}"
	for case in "${made[@]}"; do
		judge "$case"
	done
}

main
