#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: recordings with triggers, in the folder $1, by the
# program $2, of $3, which makes $4 reads, $5 of them slow; $6: quick, all, or reads
# alone, with two CPUs apart.
# triggers.sh judges them.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1 KTRACE=$2 PROGRAM=$3 READS=$4 SLOW=$5
TRACEFS=/sys/kernel/tracing
BUFFER=128K
mkdir /dev/shm/work
cd /dev/shm/work

record() { # name option...
	run "$1" "$KTRACE" record --buffer "$BUFFER" -o "$1" "${@:2}"
}

ours() {
	grep -c ktrace_hw_ "$TRACEFS/dynamic_events" || true
}

slow_reads() {
	record reads --trigger 'read>5ms' -- "$PROGRAM" "$READS" "$SLOW" 8
	ours >reads.left
}

# The threshold is longer than the stalls of a busy host. The kernel's other
# work in such a long time has to fit in the buffer as well.
slow_reads_apart() {
	BUFFER=1M
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	record reads --trigger 'read>500ms' -- "$PROGRAM" "$READS" "$SLOW" 800 \
		apart
	ours >reads.left
}

# A name that several functions of the kernel have.
doubled() {
	awk '$2 == "t" && $3 ~ /^[a-z_]+$/ {
			if ($3 in at && at[$3] != $1)
				name = $3
			at[$3] = $1
		}
		END { print name }' /proc/kallsyms
}

# Prints the unique name that reports give a kernel function: name@0xOFFSET.
placed() { # name
	local text at
	read -r text at < <(awk -v name="$1" '$3 == "_text" { text = $1 }
		$3 == name { at = $1 } END { print text, at }' /proc/kallsyms)
	printf '%s@0x%x' "$1" "$((0x$at - 0x$text))"
}

few() {
	local place
	place=$(placed hrtimer_nanosleep)
	echo "$place" >placed.name
	record placed --trigger "$place>20ms" -- "$PROGRAM" nap 1000 30000 1000
	doubled >bad.doubled
	record user --trigger "uprobe:$PROGRAM:work>2ms" -- \
		"$PROGRAM" work 10 5000 10
	ln -s "$PROGRAM" "slow reads #1"
	record blank --trigger "uprobe:$PWD/slow reads #1:work>2ms" -- \
		"$PROGRAM" work 10 5000 10
	record crash --trigger crash --trigger 'exit!=0' -- "$PROGRAM" segv
	record bad --trigger 'raed>1ms' --trigger 'sched:no_such' \
		--trigger 'get_kprobe>1ms' --trigger "$(cat bad.doubled)>1ms" \
		--trigger 'sched:sched_switch if no_field == 1' \
		--trigger "uprobe:$PROGRAM:worl" --trigger line:/etc/passwd \
		--trigger 'exit!=0' -- sh -c 'exit 3'
	record usage --trigger 'read>often' -- true
	run rights setpriv --bounding-set -bpf,-sys_admin "$KTRACE" record \
		-o rights --trigger 'read>10ms' -- sh -c 'exit 3'
}

# A killed recorder leaves its probes; the next one removes them.
killed() {
	"$KTRACE" record -o killed --trigger 'read>10ms' -- sleep 20 \
		2>killed.err &
	local pid=$!
	await_from "$pid" killed.err test -s killed/data
	kill -9 "$pid"
	wait "$pid" || true
	ours >killed.left
	record next --trigger 'exit!=0' -- sh -c 'exit 3'
	ours >next.left
}

# The pipe is opened for reading, too: it would wait for a recorder that has gone.
line() {
	local pid
	mkfifo pipe
	record line --trigger line:pipe -- sleep 2 &
	pid=$!
	await_from "$pid" line.err test -s line/data
	sleep 0.2
	echo now 1<>pipe
	wait "$pid"
}

others() {
	record sleep --trigger 'sleep@clock_nanosleep>20ms' -- \
		"$PROGRAM" nap 1000 30000 1000
	record function --trigger 'hrtimer_nanosleep>20ms' --after 1ms -- \
		"$PROGRAM" nap 1000 30000 1000
	record runnable --hits 3 --trigger 'runnable>2ms' -- \
		"$PROGRAM" spin 60000
	"$PROGRAM" nap 5000000 30000 &
	record pid -p "$!" --trigger 'clock_nanosleep>20ms'
	# Three hits within the time after the first.
	record overlap --after 30ms --trigger 'clock_nanosleep>20ms' -- \
		sh -c 'sleep 0.05 & sleep 0.05 & sleep 0.05; wait'
	record tracepoint --trigger \
		'sched:sched_process_exit if comm == "true"' -- \
		sh -c 'ls >/dev/null; /bin/true; ls >/dev/null'
	record signal --trigger signal:SEGV -- sh -c "$PROGRAM segv; true"
	line
	# Other processes' slow calls count only with -a.
	(sleep 0.5) &
	record own --trigger 'clock_nanosleep>10ms' -- sh -c 'ls; ls'
	record all -a --duration 0.4 --trigger 'clock_nanosleep>10ms' &
	for _ in $(seq 60); do sleep 0.05; done
	wait
	mkdir -m 777 anyone
	(
		cd anyone
		setpriv --reuid=65534 --clear-groups "$KTRACE" record -o any \
			--trigger 'read>10ms' -- true 2>record.err || true
	)
	killed
}

case $6 in
quick)
	slow_reads
	hold_symbols
	few
	;;
all)
	slow_reads
	hold_symbols
	few
	others
	;;
reads) slow_reads ;;
apart) slow_reads_apart ;;
esac
save_results "${KTRACE%/*}"
