#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: makes the recordings CASE... in the folder $1 by
# the program $2.  names.sh judges them.
set -euo pipefail
RESULTS=$1
KTRACE=$2
shift 2
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/guest_run.sh"
readonly NAMED=${KTRACE%/*}/tests/e2e/programs/named
readonly RUNTIMES=${KTRACE%/*}/tests/e2e/programs/runtimes
SOURCES=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/programs/runtimes
readonly SOURCES
mkdir /dev/shm/work
cd /dev/shm/work

record() { # name option...
	run "$1" "$KTRACE" record -o "$1" --user "${@:2}"
}

# A large file, of which the budget has no room for a copy.
make_large() {
	cp "$NAMED-static" large
	truncate -s 600M large
}

# Debian's own stripped program.
record_shell() {
	# shellcheck disable=SC2016 # for the recorded shell
	record shell -- dash -c 'i=0
		while [ $i -lt 300 ]; do i=$((i + 1)); done'
}

# The container runs before the recording starts.
record_running() {
	local pid
	"$NAMED-static" pivot /usr/bin/dash 3 >running.out &
	pid=$!
	sleep 1
	run running "$KTRACE" record -o running --user -p "$pid"
	wait "$pid"
	mv running.out running.messages
}

# Only the methods of Shop are compiled, and none is part of another one, so that
# each call is one.
record_java() { # name argument...
	record "$1" -- java -Xshare:auto -XX:+UseSerialGC \
		-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit \
		-XX:TieredStopAtLevel=1 -XX:-Inline \
		-XX:CompileCommand=quiet -XX:CompileCommand=compileonly,Shop.* \
		-Xcomp -cp "$RUNTIMES" Shop "${@:2}"
}

record_case() { # name
	case $1 in
	run) record run -- "$NAMED-static" ;;
	stripped) record stripped -- "$NAMED-stripped" ;;
	shell) record_shell ;;
	deleted)
		cp "$NAMED-static" gone
		record deleted -- ./gone deleted
		;;
	budget)
		make_large
		# The events of attribution would also record the machine's init,
		# which is a file that has to be copied.
		record budget --events=sched -- ./large deleted
		;;
	running) record_running ;;
	fibers-*) record "$1" -- "${NAMED%/*}/fibers" "${1#*-}" ;;
	cpp) record cpp -- "$RUNTIMES/templates" ;;
	boost-*) record "$1" -- "$RUNTIMES/contexts" "${1#*-}" ;;
	ocaml) record ocaml -- "$RUNTIMES/effects" ;;
	rust) record rust -- "$RUNTIMES/executor" ;;
	go) record go -- "$RUNTIMES/goroutines" ;;
	goids) record goids --goroutines -- "$RUNTIMES/goroutines" ;;
	java) record_java java ;;
	java-at-once) record_java java-at-once at-once ;;
	node) record node -- node --perf-basic-prof \
		--interpreted-frames-native-stack --no-opt "$SOURCES/service.js" ;;
	luajit) record luajit -- luajit "$SOURCES/traces.lua" ;;
	python) record python -- "$PYTHON" -X perf "$SOURCES/trampolines.py" ;;
	# A path that is another program's on this computer.
	*) record "$1" -- "$NAMED-static" "$1" /usr/bin/dash ;;
	esac
}

hold_symbols
for name in "$@"; do
	record_case "$name"
done
save_results "${KTRACE%/*}"
