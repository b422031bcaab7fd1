/* SPDX-License-Identifier: MIT */
/* Waits whose targets, number and lengths are known by construction: each
 * subcommand is one case of attribution_sleeps.sh or attribution_syscalls.sh.
 */
#include "tests/e2e/programs/program.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

/* The barrier keeps each call from being the last thing its caller does. */
KEPT static void waits_inner(void)
{
	sleep_ns(20 * MS);
	__asm__ volatile("" ::: "memory");
}

KEPT static void waits_middle(void)
{
	waits_inner();
	__asm__ volatile("" ::: "memory");
}

KEPT static void waits_outer(void)
{
	waits_middle();
	__asm__ volatile("" ::: "memory");
}

/* The vdso makes a system call for this clock. */
KEPT static void ask_through_vdso(void)
{
	struct timespec time;

	for (int i = 0; i < 7; i++)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	__asm__ volatile("" ::: "memory");
}

static void on_signal(int number)
{
	(void)number;
	sleep_ns(30 * MS);
}

/* The handler's stack continues after the frame that the kernel put there. */
KEPT static void waits_signalled(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	__asm__ volatile("" ::: "memory");
}

static int wait_time(void)
{
	for (int i = 0; i < 5; i++)
		waits_outer();
	waits_signalled();
	ask_through_vdso();
	for (int i = 0; i < 3; i++)
		poll(NULL, 0, 10);
	return 0;
}

static void take(int pipe)
{
	char byte;

	if (read(pipe, &byte, 1) != 1)
		fail("read");
}

/* A waiter sleeps by then, even if it was only just forked and the recorder had
 * much to write.
 */
static void give_later(int pipe)
{
	sleep_ns(3 * MS);
	if (write(pipe, "", 1) != 1)
		fail("write");
}

static int ping_pong(void)
{
	enum { ROUNDS = 20 };
	int there[2];
	int back[2];

	if (pipe(there) || pipe(back))
		fail("pipe");
	if (!fork()) {
		name("ponger");
		for (int i = 0; i < ROUNDS; i++) {
			take(there[0]);
			give_later(back[1]);
		}
		_exit(0);
	}
	name("pinger");
	for (int i = 0; i < ROUNDS; i++) {
		give_later(there[1]);
		take(back[0]);
	}
	wait(NULL);
	return 0;
}

/* The middle of a chain: a timer wakes it, and it wakes the waiter. */
static int wait_for_child(void)
{
	if (!fork()) {
		name("child");
		sleep_ns(30 * MS);
		_exit(7);
	}
	name("parent");
	wait(NULL);
	return 0;
}

static int *shared_word(void)
{
	int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (word == MAP_FAILED)
		fail("mmap");
	return word;
}

enum { STACK_BYTES = 65536, WAITERS = 3 };

static int wait_on_word(void *word)
{
	name("waiter");
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return 0;
}

/* Three threads wait for one word, 10 ms apart; a fourth wakes all. */
static int wait_for_futex(void)
{
	int *word = shared_word();

	for (int i = 0; i < WAITERS; i++) {
		char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (stack == MAP_FAILED ||
		    clone(wait_on_word, stack + STACK_BYTES,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				  CLONE_THREAD | CLONE_SYSVSEM,
			  word) < 0)
			fail("clone");
		sleep_ns(10 * MS);
	}
	name("waker");
	*word = 1;
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, WAITERS, NULL, NULL, 0);
	sleep_ns(5 * MS);
	return 0;
}

/* Reads a page of each of @count MiB of @path, which is not in memory. */
static int read_disk(const char *path, int count)
{
	int file = open(path, O_RDONLY);
	char page[4096];

	if (file < 0)
		fail(path);
	posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
	for (int i = 0; i < count; i++)
		if (pread(file, page, sizeof(page), (off_t)i << 20) !=
		    sizeof(page))
			fail("pread");
	return 0;
}

/* A chain of three processes: each waits for the next one, and the last one for
 * the disk.
 */
static int wait_in_chain(const char *path)
{
	int answer[2];

	if (pipe(answer))
		fail("pipe");
	name("first");
	if (!fork()) {
		name("second");
		if (!fork()) {
			name("third");
			sleep_ns(5 * MS);
			read_disk(path, 1);
			if (write(answer[1], "", 1) != 1)
				fail("write");
			_exit(0);
		}
		take(answer[0]);
		_exit(0);
	}
	wait(NULL);
	return 0;
}

/* Prints the wait channel of a waiting task: "PID wchan". */
static void show_wchan(const char *how, pid_t pid)
{
	char path[64];
	char text[128] = "";
	int file;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	file = open(path, O_RDONLY);
	if (file < 0 || read(file, text, sizeof(text) - 1) < 0)
		fail(path);
	close(file);
	printf("%s %d %s\n", how, pid, text);
}

static void wait_in(const char *how, int *word)
{
	int ends[2];
	char byte;

	name(how);
	if (!strcmp(how, "nanosleep"))
		sleep_ns(40 * MS);
	else if (!strcmp(how, "poll"))
		poll(NULL, 0, 40);
	else if (!strcmp(how, "futex"))
		syscall(SYS_futex, word, FUTEX_WAIT, 0,
			&(struct timespec){ 0, 40 * MS }, NULL, 0);
	else if (!strcmp(how, "pause"))
		pause();
	else if (!pipe(ends) && read(ends[0], &byte, 1))
		fail("read");
}

/* Children wait in several ways; their parent reads their wait channels. */
static int show_labels(void)
{
	static const char *const ways[] = { "nanosleep", "poll", "futex",
					    "pause", "pipe" };
	enum { WAYS = sizeof(ways) / sizeof(*ways) };
	int *word = shared_word();
	pid_t pids[WAYS];

	for (int i = 0; i < WAYS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			wait_in(ways[i], word);
			_exit(0);
		}
	}
	sleep_ns(20 * MS);
	for (int i = 0; i < WAYS; i++)
		show_wchan(ways[i], pids[i]);
	sleep_ns(30 * MS);
	for (int i = 0; i < WAYS; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		continue;
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "time"))
		return wait_time();
	if (!strcmp(what, "pipe"))
		return ping_pong();
	if (!strcmp(what, "child"))
		return wait_for_child();
	if (!strcmp(what, "futex"))
		return wait_for_futex();
	if (!strcmp(what, "disk") && argc == 3)
		return read_disk(argv[2], 8);
	if (!strcmp(what, "chain") && argc == 3)
		return wait_in_chain(argv[2]);
	if (!strcmp(what, "labels"))
		return show_labels();
	fprintf(stderr, "waits: what?\n");
	return 2;
}
