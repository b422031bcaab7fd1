/* SPDX-License-Identifier: MIT */
/* Processes whose time is known by construction, for
 * attribution_processes.sh: "processes CASE..." runs each case in a process
 * that bears its name, one after the other.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	volatile char *pages = mmap(NULL, PAGES * 4096,
				    PROT_READ | PROT_WRITE,
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

/* A byte goes to and fro; each waits while the other has it. */
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

/* The second thread calls exec: it goes on as the first. */
static void execer(void)
{
	pthread_t thread;

	check(-pthread_create(&thread, NULL, exec_self, NULL));
	pthread_join(thread, NULL);
}

/* Reads as many KiB as it is told, for whoever writes to its pipe, and
 * answers.
 */
static void serve(int requests, int answers)
{
	static char buffer[1 << 16];
	int zero = open("/dev/zero", O_RDONLY);
	unsigned char kib;

	name("server");
	while (read(requests, &kib, 1) == 1) {
		check(read(zero, buffer, (size_t)kib << 10));
		check(write(answers, &kib, 1));
	}
	_exit(0);
}

static void ask(const char *client, int requests, int answers,
		unsigned char kib, int times)
{
	if (fork())
		return;
	name(client);
	for (int i = 0; i < times; i++) {
		check(write(requests, &kib, 1));
		check(read(answers, &kib, 1));
		sleep_ns(MS);
	}
	_exit(0);
}

/* Two clients of one server, of whom the first asks for four times as much. */
static void pipes(void)
{
	int requests[2];
	int answers[2];

	check(pipe(requests));
	check(pipe(answers));
	if (!fork()) {
		close(requests[1]);
		serve(requests[0], answers[1]);
	}
	close(requests[0]);
	ask("big", requests[1], answers[0], 32, 8);
	wait(NULL);
	ask("small", requests[1], answers[0], 8, 8);
	close(requests[1]);
	while (wait(NULL) > 0)
		;
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "sleeper", sleeper }, { "hog", hog },	    { "caller", caller },
	{ "faulter", faulter }, { "ping", ping },   { "tree", tree },
	{ "futex", futex },	{ "execer", execer }, { "pipes", pipes },
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
