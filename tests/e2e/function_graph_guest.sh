#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: makes the recordings for function_graph.sh in the
# folder $1, by the program $2; $3 selects the traced process: small, large or
# pair, which is two processes and a shell.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1 KTRACE=$2 LOAD=$3
TRACING=/sys/kernel/tracing
# Tracing all functions patches all of them. QEMU, with a thread for each CPU,
# may still execute the old code, even code that never ran before
# (docs/machine.md): this script stays on the CPU that patches, and the traced
# process waits meanwhile.
taskset -cp 0 $$ >/dev/null
mount -t tracefs none "$TRACING" 2>/dev/null || true
mkdir /dev/shm/work
cd /dev/shm/work

is_tracing() {
	local folder
	for folder in "$TRACING" "$TRACING"/instances/ktrace-hw-*; do
		! grep -qsx function_graph "$folder/current_tracer" ||
			! grep -qsx 1 "$folder/tracing_on" || return 0
	done
	return 1
}

# Records the same process by both, the kernel's tracer and the trace unit.
record_both() {
	local command
	mkfifo go
	# shellcheck disable=SC2016 # for the shell
	case $LOAD in
	small) bash -c 'read -r go <go; for i in 1 2 3; do echo $i >file; done
		read -r name </etc/hostname; cd /tmp; kill -0 $$' & ;;
	large) bash -c 'read -r go <go; exec ls /etc/security /etc' >both.out & ;;
	pair) taskset -c 0,1 bash -c 'read -r go <go
		for i in {1..30}; do echo "$i"; done |
			while read -r n; do echo "$n" >file; done
		kill -0 $$' & ;;
	esac
	command=$!
	echo "$command" >both.pid
	"$KTRACE" record --source=function_graph --buffer 64M -o graph \
		-p "$command" 2>graph.err &
	await_from $! graph.err is_tracing
	"$KTRACE" record --source=trace-unit --buffer 64M -o unit \
		-p "$command" 2>unit.err &
	await_from $! unit.err test -s unit/data
	sleep 3
	echo >go
	wait
}

# Unsupported options and permissions: each with its exit code.
try_refusals() {
	local code
	for words in "--user" "--filter=no_such_function" "--cycles"; do
		code=0
		"$KTRACE" record --source=function_graph "$words" -o refused \
			-- true >>refusals 2>&1 || code=$?
		echo "exit $code" >>refusals
	done
	code=0
	setpriv --reuid=65534 "$KTRACE" record --source=function_graph \
		-o /tmp/refused -- true >>refusals 2>&1 || code=$?
	echo "exit $code" >>refusals
}

sleeps() { # file: with the process
	grep -qs '^State:.S' "/proc/$(<"$1")/status"
}

# Kills a recorder as soon as its command sleeps; the command continues.
# Patching all functions, there and back, takes most of the time here, so the
# small load patches only a few.
kill_recorder() {
	local recorder
	local -a filter=()
	[[ $LOAD != small ]] || filter=("--filter=vfs_read,fifo_open,schedule")
	mkfifo never
	"$KTRACE" record --source=function_graph "${filter[@]}" -o killed -- \
		bash -c 'echo $$ >killed.pid; read -r line <never' 2>killed.err &
	recorder=$!
	await_from "$recorder" killed.err test -s killed.pid
	await_from "$recorder" killed.err sleeps killed.pid
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null || true
	for _ in {1..100}; do
		[[ -n $(find "$TRACING/instances" -mindepth 1 -maxdepth 1) ]] ||
			is_tracing || break
		sleep 0.1
	done
	kill -KILL "$(<killed.pid)"
	cat "$TRACING/current_tracer" >left
	find "$TRACING/instances" -mindepth 1 -maxdepth 1 >>left
}

# Prints the settings of the system's instance, which the recorder uses before
# Linux 6.11.
settings() {
	(cd "$TRACING" && grep . buffer_size_kb tracing_cpumask trace_clock \
		tracing_on options/{overwrite,function-fork,event-fork})
}

cp "$TRACING/available_filter_functions" functions
echo 2048 >"$TRACING/buffer_size_kb"
echo global >"$TRACING/trace_clock"
echo 0 >"$TRACING/options/overwrite"
echo 1 >"$TRACING/options/event-fork"
settings >settings.before
record_both
hold_symbols
"$KTRACE" record --source=function_graph --buffer 16M -a --events=attribution \
	-o all -- sh -c 'sleep 0.02; ls / | cat' >all.out 2>all.err
"$KTRACE" record --source=function_graph --filter=vfs_read,vfs_write \
	-o filtered -- cat /etc/passwd >filtered.out 2>filtered.err
try_refusals
kill_recorder
# The guard of the killed recorder may still be restoring them.
for _ in {1..100}; do
	settings >settings.after
	! cmp -s settings.before settings.after || break
	sleep 0.1
done
"$KTRACE" doctor >said 2>&1 || true
rm -f go never
save_results "${KTRACE%/*}"
