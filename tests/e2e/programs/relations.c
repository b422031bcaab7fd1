/* SPDX-License-Identifier: MIT */
/* Has, for attribution_relations.sh, known numbers of calls between functions,
 * known lengths of sleeps in calls, and known source lines of calls.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__ /* clang makes no clones and does not know the attribute */
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

enum {
	READS = 40, /* preadv() of a file that is cached */
	PIPE_READS = 20,
	SLOW_MS = 20, /* two of the pipe reads wait this long */
	SLEEP_MS = 50,
	PAGES = 16,
};

static volatile sig_atomic_t signals;
static volatile int calls;
static jmp_buf place;

static OWN_FRAME void sleep_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
	calls++;
}

static void read_file(const char *path)
{
	char byte;
	struct iovec vector = { &byte, 1 };
	int file = open(path, O_RDONLY);
	int null = open("/dev/null", O_RDONLY);

	for (int i = 0; i < READS; i++)
		if (preadv(file, &vector, 1, i) != 1)
			exit(1);
	preadv(null, &vector, 1, 0);
	close(file);
	close(null);
}

static void write_later(int pipe)
{
	if (fork())
		return;
	sleep_ms(SLOW_MS);
	_exit(write(pipe, "x", 1) != 1);
}

static void read_pipe(void)
{
	int pipes[2];
	char byte;

	if (pipe(pipes))
		exit(1);
	for (int i = 0; i < PIPE_READS; i++) {
		if (i % 10 == 5)
			write_later(pipes[1]);
		else if (write(pipes[1], "x", 1) != 1)
			exit(1);
		if (read(pipes[0], &byte, 1) != 1)
			exit(1);
	}
	while (wait(NULL) > 0)
		;
}

static OWN_FRAME void first_sleeper(void)
{
	for (int i = 0; i < 3; i++)
		sleep_ms(5);
	calls++;
}

static OWN_FRAME void second_sleeper(void)
{
	for (int i = 0; i < 2; i++)
		sleep_ms(10);
	calls++;
}

static OWN_FRAME void touch(volatile char *pages)
{
	for (int i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
}

static void use_sites(void)
{
	char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE);
	first_sleeper();
	second_sleeper();
	touch(pages);
}

static OWN_FRAME int work(int file, int count)
{
	char bytes[8];
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += (int)read(file, bytes, sizeof(bytes));
	return sum;
}

static OWN_FRAME void in_handler(void)
{
	signals++;
	sleep_ms(0);
}

static void handler(int number)
{
	(void)number;
	in_handler();
	signals++;
}

static OWN_FRAME void descend(int levels)
{
	if (!levels)
		longjmp(place, 1);
	descend(levels - 1);
	calls++;
}

static OWN_FRAME void jump_back(void)
{
	if (!setjmp(place))
		descend(4);
	calls++;
}

static OWN_FRAME void after_jump(void)
{
	calls++;
}

static void *in_thread(void *file)
{
	work(*(int *)file, 3);
	return NULL;
}

static OWN_FRAME void make_child(int file)
{
	pid_t child = fork();

	if (!child) {
		work(file, 2);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	calls++;
}

static int cross_the_border(const char *path)
{
	int file = open(path, O_RDONLY);
	pthread_t thread;

	work(file, 5);
	signal(SIGUSR1, handler);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	jump_back();
	after_jump();
	pthread_create(&thread, NULL, in_thread, &file);
	pthread_join(thread, NULL);
	make_child(file);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "border"))
		return cross_the_border(argv[2]);
	if (!strcmp(argv[1], "sites")) {
		use_sites();
		return 0;
	}
	read_file(argv[2]);
	read_pipe();
	sleep_ms(SLEEP_MS);
	return 0;
}
