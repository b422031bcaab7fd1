/* SPDX-License-Identifier: MIT */
/* Measures single operations, in ns of the virtual machine's clock, which equal
 * instructions there: cost [OPERATION]...
 *
 * Prints "OPERATION NS", a line each: getppid, opening a file, a read of 4 KiB
 * from the page cache, a byte to another process through a pipe and another one back, and a
 * page fault. NS is the least of five means of 100 rounds each, to exclude
 * occasional timer ticks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100, MEANS = 5, PAGE = 4096 };

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void need(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static long long ask_for_parent(void)
{
	long long begin_ns = now_ns();

	for (int i = 0; i < ROUNDS; i++)
		syscall(SYS_getppid);
	return now_ns() - begin_ns;
}

static long long open_file(void)
{
	int files[ROUNDS];
	long long begin_ns = now_ns();

	for (int i = 0; i < ROUNDS; i++)
		files[i] = openat(AT_FDCWD, "/etc/passwd", O_RDONLY);
	begin_ns = now_ns() - begin_ns;
	need(files[ROUNDS - 1] >= 0, "openat");
	for (int i = 0; i < ROUNDS; i++)
		close(files[i]);
	return begin_ns;
}

static long long read_page(void)
{
	static char page[PAGE];
	int file = open("/proc/self/exe", O_RDONLY);
	long long begin_ns;

	need(file >= 0 && pread(file, page, PAGE, 0) == PAGE, "pread");
	begin_ns = now_ns();
	for (int i = 0; i < ROUNDS; i++)
		need(pread(file, page, PAGE, 0) == PAGE, "pread");
	begin_ns = now_ns() - begin_ns;
	close(file);
	return begin_ns;
}

static void echo(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		need(write(to, &byte, 1) == 1, "write");
	_exit(0);
}

static long long ping(void)
{
	int there[2], back[2];
	char byte = 0;
	long long begin_ns;

	need(!pipe(there) && !pipe(back), "pipe");
	if (!fork()) {
		close(there[1]);
		echo(there[0], back[1]);
	}
	begin_ns = now_ns();
	for (int i = 0; i < ROUNDS; i++)
		need(write(there[1], &byte, 1) == 1 &&
			     read(back[0], &byte, 1) == 1,
		     "ping");
	begin_ns = now_ns() - begin_ns;
	close(there[1]);
	return begin_ns;
}

static long long touch(void)
{
	char *pages = mmap(NULL, (size_t)ROUNDS * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long long begin_ns = now_ns();

	need(pages != MAP_FAILED, "mmap");
	madvise(pages, (size_t)ROUNDS * PAGE, MADV_NOHUGEPAGE);
	for (int i = 0; i < ROUNDS; i++)
		pages[(size_t)i * PAGE] = 1;
	return now_ns() - begin_ns;
}

static const struct {
	const char *name;
	long long (*run)(void);
} operations[] = {
	{ "getppid", ask_for_parent },
	{ "openat", open_file },
	{ "pread", read_page },
	{ "ping", ping },
	{ "fault", touch },
};

static long long least(long long (*run)(void))
{
	long long least_ns = run();

	for (int i = 1; i < MEANS; i++) {
		long long time_ns = run();

		if (time_ns < least_ns)
			least_ns = time_ns;
	}
	return least_ns / ROUNDS;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		int is_wanted = argc < 2;

		for (int j = 1; j < argc; j++)
			is_wanted |= !strcmp(argv[j], operations[i].name);
		if (is_wanted)
			printf("%s %lld\n", operations[i].name,
			       least(operations[i].run));
	}
	return 0;
}
