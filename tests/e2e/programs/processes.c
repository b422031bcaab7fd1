/* SPDX-License-Identifier: MIT */
/* Processes whose time is known by construction, for
 * attribution_processes.sh: "processes CASE..." runs each case in a process
 * that bears its name, one after the other.
 */
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, ROUNDS = 20, CALLS = 100, PAGES = 64 };

static void check(long result)
{
	if (result >= 0)
		return;
	perror("processes");
	exit(1);
}

static void name(const char *text)
{
	prctl(PR_SET_NAME, text);
}

static void sleep_ns(long ns)
{
	const struct timespec time = { 0, ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Three sleeps of 10 ms. */
static void sleeper(void)
{
	for (int i = 0; i < 3; i++)
		sleep_ns(10 * MS);
}

/* 20 ms on the CPU, in user space. */
static void hog(void)
{
	int64_t end = now_ns() + 20 * MS;

	while (now_ns() < end)
		;
}

static void caller(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

static void faulter(void)
{
	volatile char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)(uintptr_t)pages, PAGES * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
}

static void pass(int from, int to)
{
	char byte = 0;

	check(read(from, &byte, 1));
	check(write(to, &byte, 1));
}

/* A byte is passed back and forth; each process waits while the other has it.
 */
static void ping(void)
{
	int there[2];
	int back[2];

	check(pipe(there));
	check(pipe(back));
	if (!fork()) {
		name("pong");
		for (int i = 0; i < ROUNDS; i++)
			pass(there[0], back[1]);
		_exit(0);
	}
	check(write(back[1], "", 1));
	for (int i = 0; i < ROUNDS; i++)
		pass(back[0], there[1]);
	wait(NULL);
}

/* Itself, two children, four grandchildren. */
static void tree(void)
{
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			name("branch");
			for (int j = 0; j < 2; j++)
				if (!fork()) {
					name("leaf");
					_exit(0);
				}
			while (wait(NULL) > 0)
				;
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static uint32_t word;

static void *wait_for_word(void *unused)
{
	name("waiter");
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return unused;
}

/* Two threads wait until the first one has slept 10 ms. */
static void futex(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		check(-pthread_create(&threads[i], NULL, wait_for_word, NULL));
	sleep_ns(10 * MS);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void *exec_self(void *unused)
{
	execl("/proc/self/exe", "processes", "caller", (char *)NULL);
	return unused;
}

/* The second thread calls exec, and continues as the first. */
static void execer(void)
{
	pthread_t thread;

	check(-pthread_create(&thread, NULL, exec_self, NULL));
	pthread_join(thread, NULL);
}

/* An event of perf's own that counts this process's page faults, off. */
static int open_perf(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.wakeup_events = 1,
		.disabled = 1,
	};
	long event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	check(event);
	if (mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)event,
		 0) == MAP_FAILED)
		check(-1);
	return (int)event;
}

/* One process waits 10 ms for perf's records, until the other one has a page
 * fault.
 */
static void poller(void)
{
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pollfd event = { .fd = open_perf(), .events = POLLIN };

	if (!fork()) {
		name("polled");
		check(poll(&event, 1, -1));
		_exit(0);
	}
	sleep_ns(10 * MS);
	check(ioctl(event.fd, PERF_EVENT_IOC_ENABLE, 0));
	*page = 1;
	check(ioctl(event.fd, PERF_EVENT_IOC_DISABLE, 0));
	wait(NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "sleeper", sleeper }, { "hog", hog },	      { "caller", caller },
	{ "faulter", faulter }, { "ping", ping },     { "tree", tree },
	{ "futex", futex },	{ "execer", execer }, { "poller", poller },
};

static void run(const char *which)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(cases[i].name, which))
			continue;
		if (!fork()) {
			name(which);
			cases[i].run();
			_exit(0);
		}
		wait(NULL);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run(argv[i]);
	return 0;
}
