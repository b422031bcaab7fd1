/* SPDX-License-Identifier: MIT */
/* Programs that are slow for a known reason, which they time by their own
 * clocks: each subcommand is one case of explain.sh. It prints "NAME NS" for
 * what it measured, and "wall NS".
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__ /* clang makes no clones and does not know the attribute */
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

enum { MS = 1000000 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static long ns_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

static long now_ns(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

/* Uses @ns of CPU time. */
KEPT static void spin(long ns)
{
	long until_ns = ns_of(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (ns_of(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		for (volatile int i = 0; i < 20000; i++)
			;
}

static void sleep_ns(long ns)
{
	const struct timespec time = { 0, ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turns;

/* Has the lock for 30 ms, a few times. */
KEPT static void *hold_lock(void *count)
{
	prctl(PR_SET_NAME, "holder");
	for (int i = 0; i < *(int *)count; i++) {
		pthread_mutex_lock(&mutex);
		turns++;
		spin(30 * MS);
		pthread_mutex_unlock(&mutex);
		sleep_ns(5 * MS);
	}
	return NULL;
}

KEPT static long take_lock(void)
{
	long begin_ns = now_ns();

	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return now_ns() - begin_ns;
}

static void lock(void)
{
	int count = 6;
	long waited_ns = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, hold_lock, &count);
	for (int i = 1; i <= count; i++) {
		while (turns < i)
			sleep_ns(MS / 2);
		waited_ns += take_lock();
	}
	printf("lock %ld\n", waited_ns);
}

KEPT static void save(int file)
{
	char block[4096] = "x";

	if (write(file, block, sizeof(block)) < 0 || fsync(file))
		fail("fsync");
}

static void sync_often(void)
{
	int file = open("/scratch/saved", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	long disk_ns = 0;

	if (file < 0)
		fail("/scratch/saved");
	for (int i = 0; i < 5; i++) {
		long begin_ns = now_ns();

		save(file);
		disk_ns += now_ns() - begin_ns;
		spin(5 * MS);
	}
	printf("disk %ld\n", disk_ns);
}

/* A stage of a pipeline: spins for each byte that it passes on. */
static void stage(const char *name, int from, int to, int count, long ns)
{
	char byte = 0;
	long cpu_ns;

	prctl(PR_SET_NAME, name);
	for (int i = 0; i < count; i++) {
		if (from >= 0 && read(from, &byte, 1) != 1)
			fail("read");
		spin(ns);
		if (to >= 0 && write(to, &byte, 1) != 1)
			fail("write");
	}
	cpu_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID);
	if (ns > MS)
		printf("user %ld\n", cpu_ns);
	fflush(stdout);
}

static void pipeline(void)
{
	int first[2];
	int second[2];

	if (pipe(first) || pipe(second))
		fail("pipe");
	if (!fork()) {
		stage("giver", -1, first[1], 40, MS / 10);
		_exit(0);
	}
	if (!fork()) {
		stage("slow-stage", first[0], second[1], 40, 5 * MS);
		_exit(0);
	}
	stage("taker", second[0], -1, 40, MS / 10);
	while (wait(NULL) > 0)
		;
}

/* Ends a sleeping child by a signal. */
/* Ends a process @name by a signal of this process, or of another child,
 * @rival.
 */
static void end_worker(const char *name, const char *rival)
{
	char path[64], state = 0;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, name);
		for (;;)
			pause();
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'S') {
		FILE *stat = fopen(path, "r");

		if (!stat || fscanf(stat, "%*d %*s %c", &state) != 1)
			abort();
		fclose(stat);
		usleep(1000);
	}
	if (!rival)
		kill(pid, SIGTERM);
	else if (!fork()) {
		prctl(PR_SET_NAME, rival);
		kill(pid, SIGTERM);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static void children(void)
{
	struct rusage used;

	for (int i = 0; i < 20; i++) {
		if (!fork()) {
			prctl(PR_SET_NAME, "child");
			spin(10 * MS);
			_exit(0);
		}
		wait(NULL);
	}
	getrusage(RUSAGE_CHILDREN, &used);
	printf("user %ld\n",
	       (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 * MS +
		       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000);
	end_worker("worker", NULL);
	end_worker("lodger", "rival");
}

static void nap(void)
{
	long begin_ns = now_ns();

	for (int i = 0; i < 10; i++)
		sleep_ns(20 * MS);
	printf("timer %ld\n", now_ns() - begin_ns);
}

/* A thread of a real-time program; the higher @priority, the sooner it runs. */
static void be_real_time(const char *name, int priority)
{
	const struct sched_param parameter = { .sched_priority = priority };
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	prctl(PR_SET_NAME, name);
	if (sched_setaffinity(0, sizeof(first), &first) ||
	    sched_setscheduler(0, SCHED_FIFO, &parameter))
		fail("sched_setscheduler");
}

static sem_t low_holds;
static sem_t middle_may;
static long middle_ns;

KEPT static void *be_low(void *unused)
{
	(void)unused;
	be_real_time("low", 10);
	pthread_mutex_lock(&mutex);
	sem_post(&low_holds);
	spin(10 * MS);
	pthread_mutex_unlock(&mutex);
	pause();
	return NULL;
}

KEPT static void *be_middle(void *unused)
{
	long begin_ns;

	(void)unused;
	be_real_time("middle", 20);
	sem_wait(&middle_may);
	begin_ns = now_ns();
	spin(60 * MS);
	middle_ns = now_ns() - begin_ns;
	return NULL;
}

/* Waits for a lock that the low thread has, which waits for the CPU of the
 * middle one. Joins neither, so that the lock alone decides when the program
 * ends.
 */
static void inversion(void)
{
	pthread_t low;
	pthread_t middle;

	sem_init(&low_holds, 0, 0);
	sem_init(&middle_may, 0, 0);
	be_real_time("explained", 30);
	pthread_create(&middle, NULL, be_middle, NULL);
	sleep_ns(20 * MS);
	pthread_create(&low, NULL, be_low, NULL);
	sem_wait(&low_holds);
	sem_post(&middle_may);
	take_lock();
	printf("inversion %ld\n", middle_ns);
}

/* Prints how long the program had no CPU: its wall time less its CPU time. */
static void spin_for(long ns)
{
	long begin_ns = now_ns();
	long cpu_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);

	spin(ns);
	cpu_ns = ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	printf("cpu %ld\n", now_ns() - begin_ns - cpu_ns);
}

static void busy(void)
{
	spin_for(150 * MS);
}

/* Until other programs have started, even by the host's clock. */
static void busy_long(void)
{
	spin_for(4000L * MS);
}

/* Needs more memory than the memory.high of its cgroup, 16 MiB, which delays it:
 * no touch of a page takes this long otherwise.
 */
static void high(void)
{
	const size_t size = 17 << 20;
	const size_t page = 4096;
	char *memory = malloc(size);
	long delayed_ns = 0;

	if (!memory)
		fail("malloc");
	for (size_t i = 0; i < size; i += page) {
		long begin_ns = now_ns();
		long took_ns;

		((volatile char *)memory)[i] = 1;
		took_ns = now_ns() - begin_ns;
		if (took_ns > 5 * MS)
			delayed_ns += took_ns;
	}
	printf("memory_high %ld\n", delayed_ns);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "lock", lock },
		{ "fsync", sync_often },
		{ "pipeline", pipeline },
		{ "children", children },
		{ "nap", nap },
		{ "high", high },
		{ "busy", busy },
		{ "busy_long", busy_long },
		{ "inversion", inversion },
	};
	long begin_ns = now_ns();

	if (argc == 2 && !strcmp(argv[1], "hog") && !prctl(PR_SET_NAME, "hog"))
		for (;;)
			spin(MS);
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases);
	     i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		cases[i].run();
		printf("wall %ld\n", now_ns() - begin_ns);
		return 0;
	}
	fprintf(stderr, "usage: explained CASE\n");
	return 2;
}
