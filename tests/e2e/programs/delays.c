/* SPDX-License-Identifier: MIT */
/* Delays of known cause, for attribution_delays.sh:
 *
 *	delays crowd	two threads that may only run on CPU 0 use 200 ms of CPU
 *			time each
 *	delays pair	the same, but the threads may run where the process may
 *	delays full	as crowd, and a third on CPU 1 uses it meanwhile
 *	delays barrier	a thread on CPU 1 runs while one on CPU 0 makes it take
 *			200 interrupts, by membarrier(2), and waits for each
 *	delays spin	a thread on CPU 1 writes 1 MiB to a file, and to a pipe, 10
 *			times each, while one on CPU 0 needs their lock: it spins
 *			until the lock is released
 *
 * "spin" prints for the file and the pipe the tids of both, the number, and how
 * much CPU time the calls that needed the lock took. "barrier" prints the tids of
 * both, the number, and how long the calls took. The others print for each thread
 * on CPU 0 a line: its tid, and how long it was on a CPU and waited for one, in ns,
 * by the kernel's own counters (Documentation/scheduler/sched-stats.rst).
 */
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t ns_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static atomic_int left = 2;

static void *use_cpu(void *done)
{
	const uint64_t work_ns = 200000000;
	unsigned long on_cpu_ns;
	unsigned long wait_ns;
	FILE *file;

	while (ns_of(CLOCK_THREAD_CPUTIME_ID) < work_ns)
		continue;
	pthread_barrier_wait(done);
	file = fopen("/proc/thread-self/schedstat", "re");
	if (!file || fscanf(file, "%lu %lu", &on_cpu_ns, &wait_ns) != 2)
		exit(1);
	fclose(file);
	printf("%d %lu %lu\n", gettid(), on_cpu_ns, wait_ns);
	left--;
	return NULL;
}

static void *fill_cpu(void *unused)
{
	(void)unused;
	while (left)
		continue;
	return NULL;
}

enum { ANY_CPU = -1 };

static pthread_t start_on(int cpu, void *(*run)(void *ctx), void *ctx)
{
	pthread_attr_t attributes;
	pthread_t thread;
	cpu_set_t only;

	pthread_attr_init(&attributes);
	CPU_ZERO(&only);
	if (cpu != ANY_CPU) {
		CPU_SET((size_t)cpu, &only);
		pthread_attr_setaffinity_np(&attributes, sizeof(only), &only);
	}
	if (pthread_create(&thread, &attributes, run, ctx))
		exit(1);
	return thread;
}

static void crowd(int cpu, bool is_full)
{
	pthread_barrier_t done;
	pthread_t filler;
	pthread_t one;
	pthread_t other;

	pthread_barrier_init(&done, NULL, 2);
	if (is_full)
		filler = start_on(1, fill_cpu, NULL);
	one = start_on(cpu, use_cpu, &done);
	other = start_on(cpu, use_cpu, &done);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	if (is_full)
		pthread_join(filler, NULL);
}

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

static void *send_interrupts(void *runner)
{
	enum { TIMES = 200 };
	uint64_t begin_ns = ns_of(CLOCK_MONOTONIC);

	for (int i = 0; i < TIMES; i++)
		if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
			exit(1);
	printf("%d %d %d %lu\n", gettid(), *(atomic_int *)runner, TIMES,
	       ns_of(CLOCK_MONOTONIC) - begin_ns);
	left = 0;
	return NULL;
}

static void *take_interrupts(void *runner)
{
	*(atomic_int *)runner = gettid();
	return fill_cpu(NULL);
}

static int barrier(void)
{
	atomic_int runner = 0;
	pthread_t one;
	pthread_t other;

	if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED))
		return 1;
	one = start_on(1, take_interrupts, &runner);
	while (!runner)
		continue;
	other = start_on(0, send_interrupts, &runner);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	return 0;
}

enum { TURNS = 10, HELD_BYTES = 1 << 20 };

/* The file or pipe whose lock a thread holds while it writes. */
static struct held {
	int file;
	int reader; /* the other end of a pipe; -1: no pipe */
	atomic_int wanted;
	atomic_int begun;
	atomic_int ended;
	atomic_int holder;
} held;

static void *hold(void *bytes)
{
	held.holder = gettid();
	for (int turn = 1; turn <= TURNS; turn++) {
		while (held.wanted < turn)
			continue;
		lseek(held.file, 0, SEEK_SET); /* a pipe has no position */
		held.begun = turn;
		if (write(held.file, bytes, HELD_BYTES) != HELD_BYTES)
			exit(1);
		held.ended = turn;
	}
	return NULL;
}

/* Returns how much CPU time a call took that needs the lock. */
static uint64_t want(void)
{
	uint64_t begin_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
	int ready;

	if (held.reader < 0 ? pwrite(held.file, "", 1, 0) != 1 :
			      ioctl(held.reader, FIONREAD, &ready))
		exit(1);
	return ns_of(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

static void *want_turns(void *bytes)
{
	const uint64_t ahead_ns = 200000; /* the write has its lock then */
	uint64_t whole_ns = 0;

	for (int turn = 1; turn <= TURNS; turn++) {
		uint64_t begin_ns;

		held.wanted = turn;
		while (held.begun < turn)
			continue;
		begin_ns = ns_of(CLOCK_MONOTONIC);
		while (ns_of(CLOCK_MONOTONIC) - begin_ns < ahead_ns)
			continue;
		whole_ns += want();
		while (held.ended < turn)
			continue;
		if (held.reader >= 0 &&
		    read(held.reader, bytes, HELD_BYTES) != HELD_BYTES)
			exit(1);
	}
	printf("%d %d %d %lu\n", gettid(), held.holder, TURNS, whole_ns);
	return NULL;
}

static void spin_for(int file, int reader)
{
	static char bytes[2][HELD_BYTES];
	pthread_t one;
	pthread_t other;

	held = (struct held){ .file = file, .reader = reader };
	memset(bytes, 1, sizeof(bytes));
	one = start_on(1, hold, bytes[0]);
	other = start_on(0, want_turns, bytes[1]);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
}

static int spin(void)
{
	int ends[2];

	spin_for(memfd_create("held", 0), -1);
	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, HELD_BYTES) < 0)
		return 1;
	spin_for(ends[1], ends[0]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";

	if (!strcmp(mode, "barrier"))
		return barrier();
	if (!strcmp(mode, "spin"))
		return spin();
	if (!strcmp(mode, "crowd"))
		crowd(0, false);
	else if (!strcmp(mode, "full"))
		crowd(0, true);
	else if (!strcmp(mode, "pair"))
		crowd(ANY_CPU, false);
	else
		return 2;
	return 0;
}
