#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records the cases $5... with the recorder $2, each
# into a folder with its name in $1. CASE.out has what the program printed,
# CASE.truth what the kernel counted. $3 is the checkout, $4 a Python.
set -euo pipefail
RESULTS=$1 KTRACE=$2 CHECKOUT=$3 PYTHON=$4
shift 4
# shellcheck source=tests/e2e/guest_record.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_record.sh"
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"
DIR=$PWD
export HOME=$DIR GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a \
	GIT_COMMITTER_EMAIL=a

drop_caches() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# Time in which a program was waiting for the disk, in microseconds.
stalled_us() {
	sed -n 's/^some.*total=//p' /proc/pressure/io
}

# Records, and saves how long programs waited for the disk meanwhile.
record_stalls() { # name command...
	local before_us
	before_us=$(stalled_us)
	record "$1" -- "${@:2}"
	echo "disk $(($(stalled_us) - before_us))000" >"$1.truth"
}

# Saves how long a command is in each system call according to strace. Several
# CPUs have the host's clock, with which that is not compared.
count_calls() { # name command...
	(($(nproc) > 1)) ||
		strace -f -c -w -U name,total-time -o "$1.strace" "${@:2}"
}

# A row at a time, each in a transaction of its own, which sqlite syncs.
database() {
	local i
	{
		echo .timer on
		for ((i = 0; i < 10; i++)); do
			echo "INSERT INTO t VALUES($i, 'row $i');"
		done
	} >rows.sql
	sqlite3 /scratch/app.db 'CREATE TABLE t(a, b)'
	record database -- sqlite3 /scratch/app.db '.read rows.sql'
	count_calls database sqlite3 /scratch/app.db '.read rows.sql' >/dev/null
}

# The client waits for a proxy, and that for a slow query of its backend.
proxy() {
	local backend front
	cat >backend.py <<'END'
import http.server, sqlite3, time

open("/proc/self/comm", "w").write("backend")
database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE t(a)")
database.executemany("INSERT INTO t VALUES(?)", [(i,) for i in range(3000)])

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        start = time.monotonic_ns()
        text = str(database.execute(
            "SELECT count(*) FROM t x, t y WHERE x.a * y.a % 7 = 3 AND "
            "x.a < 150").fetchone()).encode()
        open("proxy.truth", "w").write(
            f"query {time.monotonic_ns() - start}\n")
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *_):
        pass

http.server.HTTPServer(("127.0.0.1", 8001), Handler).serve_forever()
END
	cat >front.py <<'END'
import http.server, urllib.request

open("/proc/self/comm", "w").write("front")

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = urllib.request.urlopen("http://127.0.0.1:8001/").read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *_):
        pass

http.server.HTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
END
	busybox ip link set lo up
	"$PYTHON" backend.py &
	backend=$!
	"$PYTHON" front.py &
	front=$!
	until curl -s http://127.0.0.1:8000/ >/dev/null; do sleep 0.1; done
	record proxy -- curl -s -w '\nreply %{time_total}\n' \
		http://127.0.0.1:8000/
	kill "$backend" "$front"
}

# Of two jobs one is long.
build() {
	mkdir tree
	cp "$CHECKOUT/tests/e2e/programs/explained.c" tree/long.c
	echo 'int one(void) { return 1; }' >tree/short.c
	cat >tree/Makefile <<'END'
prog: long.o short.o
	cc -o $@ $^
%.o: %.c
	cc -D_GNU_SOURCE -O2 -c -o $@ $<
END
	# shellcheck disable=SC2016 # for the recorded shell
	record build -- bash -c \
		'TIMEFORMAT="real %3R"; { time make -s -j2 -C tree; } 2>&1'
}

# A repository of loose objects that are not in memory.
clone() {
	(
		mkdir /scratch/one && cd /scratch/one && git init -q
		cp "$CHECKOUT"/explain/*.[ch] . && git add . && git commit -q -m one
	)
	drop_caches
	record_stalls clone git clone -q file:///scratch/one /scratch/two
	drop_caches
	count_calls clone git clone -q file:///scratch/one /scratch/three
}

# The lock's holder compresses a file; no other process uses the CPU.
fight() {
	head -c 1000000 "$KTRACE" >big
	cat >fight.sh <<'END'
flock lock gzip -9 -c big >big.gz &
sleep 0.02
start=$(date +%s%N)
flock lock true
echo "waited $(($(date +%s%N) - start))"
END
	record fight -- sh fight.sh
	rm big.gz
	count_calls fight sh fight.sh >/dev/null
}

# gzip may use a fifth of a CPU.
quota() {
	local cgroup=/sys/fs/cgroup/quota
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$cgroup"
	echo "20000 100000" >"$cgroup/cpu.max"
	head -c 400000 "$KTRACE" >small
	record quota -- sh -c \
		"echo \$\$ >$cgroup/cgroup.procs; exec gzip -9 -c small >small.gz"
	sed -n 's/^throttled_usec \(.*\)/throttled \1000/p' "$cgroup/cpu.stat" \
		>quota.truth
}

# Memory is touched for the first time.
storm() {
	record storm -- "$PYTHON" -IS -c '
import mmap, resource
memory = mmap.mmap(-1, 96 << 20)
for at in range(0, len(memory), 4096):
    memory[at] = 1
print("faults", resource.getrusage(resource.RUSAGE_SELF).ru_minflt)'
}

# A mapped file is not in memory.
cold() {
	head -c 4000000 /dev/urandom >/scratch/data
	drop_caches
	record_stalls cold "$PYTHON" -IS -c '
import mmap, time
with open("/scratch/data", "rb") as data:
    memory = mmap.mmap(data.fileno(), 0, prot=mmap.PROT_READ)
memory.madvise(mmap.MADV_RANDOM)
start = time.monotonic_ns()
found = sum(memory[at] for at in range(0, len(memory), 400000))
print("wall", time.monotonic_ns() - start)'
}

# Its core dump is written to the slow disk.
crash() {
	mkdir /scratch/core
	echo /scratch/core/dump >/proc/sys/kernel/core_pattern
	ulimit -c unlimited
	record_stalls crash sh -c "$PYTHON -IS -c 'import ctypes; ctypes.string_at(0)'
		echo status \$?"
	ulimit -c 0
}

# Records the Python program of the standard input.
record_python() { # name
	cat >"$1.py"
	record "$1" -- "$PYTHON" -I "$1.py"
}

# Like record_python(), for coroutines that save files on the slow disk.
record_saving() { # name
	{
		cat <<'END'
import asyncio, concurrent.futures, os, sys, time

def save(number):
    with open(f"/scratch/{sys.argv[0]}{number}", "wb") as out:
        out.write(b"x" * 100)
        out.flush()
        os.fsync(out.fileno())

END
		cat
	} >"$1.all"
	record_python "$1" <"$1.all"
}

# The loop waits for its threads, which sync.
loop() {
	record_saving loop <<'END'
async def main():
    loop = asyncio.get_running_loop()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        start = time.monotonic_ns()
        await asyncio.gather(*(loop.run_in_executor(pool, save, i)
                               for i in range(8)))
        print("wall", time.monotonic_ns() - start)

asyncio.run(main())
END
}

# A slow command holds the loop, whose threads sync for longer.
held() {
	record_saving held <<'END'
async def saver(pool):
    for number in range(8):
        await asyncio.get_running_loop().run_in_executor(pool, save, number)

async def command():
    await asyncio.sleep(0.05)
    start = time.monotonic_ns()
    sum(number * number % 7 for number in range(240000))
    print("held", time.monotonic_ns() - start)

async def main():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        await asyncio.gather(saver(pool), command())

asyncio.run(main())
END
}

# Of three workers one has the long piece.
straggler() {
	record_python straggler <<'END'
import multiprocessing, time

def work(seconds):
    time.sleep(seconds)
    return time.monotonic_ns()

with multiprocessing.get_context("fork").Pool(3) as pool:
    ends = sorted(pool.map(work, [.05, .05, .5, .05, .05], chunksize=1))
print("alone", ends[-1] - ends[-2])
END
}

# The kernel ends it: its cgroup has less memory than it wants.
killed() {
	local cgroup=/sys/fs/cgroup/killed
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$cgroup"
	echo 30M >"$cgroup/memory.max"
	record killed -- sh -c "echo \$\$ >$cgroup/cgroup.procs
		$PYTHON -IS -c 'bytearray(b\"x\" * (100 << 20))'
		echo status \$?"
	grep '^oom_kill ' "$cgroup/memory.events" >killed.truth
}

hold_symbols
for one in "$@"; do
	cd "$DIR"
	"$one"
done
cd "$DIR"
rm -rf tree
save_results "${KTRACE%/*}"
