/* SPDX-License-Identifier: MIT */
/* Processes whose interrupts have known beneficiaries, and run on known time:
 * each subcommand is a part of a case of attribution_interrupts.sh, and sets
 * its process's name.
 */
#include "tests/e2e/programs/program.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 4000, BLOCK = 65536, PAGE = 4096, DATAGRAM = 1000, MS = 1000000 };
enum { HUGE_PAGE = 2 << 20 };

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static void sleep_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * MS };

	nanosleep(&time, NULL);
}

/* Uses a CPU until it is killed. */
static void hog(char **arguments)
{
	run_on(atoi(arguments[0]));
	for (volatile unsigned long turns = 0;; turns++)
		;
}

/* Reads a file once, one block after the other. */
static void reader(char **arguments)
{
	static char block[BLOCK];
	int fd = open(arguments[1], O_RDONLY);

	run_on(atoi(arguments[0]));
	check(fd, arguments[1]);
	while (read(fd, block, sizeof(block)) > 0)
		;
}

/* Writes a file of so many blocks and has all of its file system written: by
 * kworkers.
 */
static void writer(char **arguments)
{
	static char block[BLOCK];
	int fd = open(arguments[0], O_WRONLY | O_CREAT | O_TRUNC, 0600);

	check(fd, arguments[0]);
	for (int i = 0; i < atoi(arguments[1]); i++)
		check(write(fd, block, sizeof(block)), "write");
	check(syncfs(fd), "syncfs");
}

/* Makes so many bytes of a file dirty under this name; the child lives until
 * kworkers have written them.
 */
static void dirty_as(const char *name, const char *path, size_t bytes)
{
	static char block[BLOCK];
	pid_t child = fork();
	int fd;

	check(child, "fork");
	if (child)
		return;
	prctl(PR_SET_NAME, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	check(fd, path);
	while (bytes) {
		size_t part = bytes < sizeof(block) ? bytes : sizeof(block);

		check(write(fd, block, part), "write");
		bytes -= part;
	}
	sleep_ms(600);
	exit(0);
}

/* The first process dirties a page, which queues the device's writeback; the
 * second one dirties the given number of blocks, and queues nothing.
 */
static void dirtiers(char **arguments)
{
	dirty_as("first", arguments[0], 4096);
	sleep_ms(10);
	dirty_as("second", arguments[1], BLOCK * (size_t)atoi(arguments[2]));
	while (wait(NULL) > 0)
		;
}

static struct sockaddr_in address_of(const char *text)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
	};

	if (inet_pton(AF_INET, text, &address.sin_addr) != 1)
		check(-1, text);
	return address;
}

/* Receives so many datagrams. */
static void receiver(char **arguments)
{
	const struct sockaddr_in address = address_of(arguments[0]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char datagram[DATAGRAM];

	check(bind(fd, (const struct sockaddr *)&address, sizeof(address)),
	      "bind");
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < atoi(arguments[1]); i++)
		check(recv(fd, datagram, sizeof(datagram), 0), "recv");
}

/* Returns the time at which the kernel received a message. */
static int64_t stamp_of(struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	struct timespec stamp = { 0 };

	for (; part; part = CMSG_NXTHDR(message, part))
		if (part->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
	return stamp.tv_sec * 1000000000LL + stamp.tv_nsec;
}

/* Receives datagrams, reads each so many milliseconds after it came, and prints
 * how many nanoseconds after the kernel it had them, all together.
 */
static void waiter(char **arguments)
{
	const struct sockaddr_in address = address_of(arguments[0]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	const int yes = 1;
	int64_t waited_ns = 0;

	check(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)),
	      "setsockopt");
	check(bind(fd, (const struct sockaddr *)&address, sizeof(address)),
	      "bind");
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < atoi(arguments[1]); i++) {
		char datagram[DATAGRAM];
		char control[256];
		struct iovec data = { datagram, sizeof(datagram) };
		struct msghdr message = { .msg_iov = &data,
					  .msg_iovlen = 1,
					  .msg_control = control,
					  .msg_controllen = sizeof(control) };
		struct pollfd poller = { .fd = fd, .events = POLLIN };
		struct timespec now;

		check(poll(&poller, 1, -1), "poll");
		sleep_ms(atoi(arguments[2]));
		check(recvmsg(fd, &message, 0), "recvmsg");
		clock_gettime(CLOCK_REALTIME, &now);
		waited_ns += now.tv_sec * 1000000000LL + now.tv_nsec -
			     stamp_of(&message);
	}
	printf("%lld\n", (long long)waited_ns);
}

/* Sends them, one every so many milliseconds. */
static void sender(char **arguments)
{
	const struct sockaddr_in address = address_of(arguments[0]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	const char datagram[DATAGRAM] = { 0 };

	for (int i = 0; i < atoi(arguments[1]); i++) {
		check(sendto(fd, datagram, sizeof(datagram), 0,
			     (const struct sockaddr *)&address,
			     sizeof(address)),
		      "sendto");
		sleep_ms(atoi(arguments[2]));
	}
}

/* Returns a socket that listens at @address, and reports that. */
static int listen_at(const char *text)
{
	const struct sockaddr_in address = address_of(text);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	check(bind(listener, (const struct sockaddr *)&address,
		   sizeof(address)),
	      "bind");
	check(listen(listener, 1), "listen");
	puts("ready");
	fflush(stdout);
	return listener;
}

/* Accepts a connection and reads it to its end. */
static void sink(char **arguments)
{
	int listener = listen_at(arguments[0]);
	static char block[BLOCK];
	int fd;

	fd = accept(listener, NULL, NULL);
	check(fd, "accept");
	while (read(fd, block, sizeof(block)) > 0)
		;
}

/* Sends so many blocks through a connection. */
static void streamer(char **arguments)
{
	const struct sockaddr_in address = address_of(arguments[0]);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	static char block[BLOCK];

	check(connect(fd, (const struct sockaddr *)&address, sizeof(address)),
	      "connect");
	for (int i = 0; i < atoi(arguments[1]); i++)
		check(write(fd, block, sizeof(block)), "write");
}

/* Answers a byte of each of so many connections, and waits for their end. */
static void doorkeeper(char **arguments)
{
	int listener = listen_at(arguments[0]);
	char byte;

	for (int i = 0; i < atoi(arguments[1]); i++) {
		int fd = accept(listener, NULL, NULL);

		check(fd, "accept");
		check(read(fd, &byte, 1), "read");
		check(write(fd, &byte, 1), "write");
		read(fd, &byte, 1);
		close(fd);
	}
}

/* Resets each of so many connections after an answer. */
static void knocker(char **arguments)
{
	const struct sockaddr_in address = address_of(arguments[0]);
	const struct linger reset = { .l_onoff = 1 };
	char byte = 0;

	for (int i = 0; i < atoi(arguments[1]); i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		check(connect(fd, (const struct sockaddr *)&address,
			      sizeof(address)),
		      "connect");
		check(write(fd, &byte, 1), "write");
		check(read(fd, &byte, 1), "read");
		check(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset,
				 sizeof(reset)),
		      "SO_LINGER");
		close(fd);
	}
}

/* Sleeps so many times for 2 ms. */
static void sleeper(char **arguments)
{
	for (int i = 0; i < atoi(arguments[0]); i++)
		sleep_ms(2);
}

/* Makes and removes the given number of files in memory: they are freed by RCU
 * callbacks, which have run when it ends.
 */
static void forgetter(char **arguments)
{
	for (int i = 0; i < atoi(arguments[0]); i++) {
		int fd = open("/dev/shm/forgotten", O_CREAT | O_RDWR, 0600);
		void *mapped;

		check(fd, "/dev/shm/forgotten");
		mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
		check(mapped == MAP_FAILED ? -1 : 0, "mmap");
		close(fd);
		/* The kernel closes the file by task_work. */
		munmap(mapped, PAGE);
		check(unlink("/dev/shm/forgotten"), "unlink");
	}
	sleep_ms(200);
}

static char *map(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(memory == MAP_FAILED ? -1 : 0, "mmap");
	return memory;
}

/* Touches @pages new pages, one after the other, and returns the first one. */
static char *touch(size_t pages)
{
	char *memory = map(pages * PAGE);

	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
	return memory;
}

/* Touches new memory that may be one huge page. */
static void touch_huge(void)
{
	char *memory = map(2 * HUGE_PAGE);

	memory += HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE;
	madvise(memory, HUGE_PAGE, MADV_HUGEPAGE);
	*memory = 1;
}

/* Returns the number after @name in @path, or the first one. */
static long number_in(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	char line[128];
	long number = -1;

	check(file ? 0 : -1, path);
	while (number < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			number = strtol(line + strlen(name), NULL, 10);
	fclose(file);
	return number;
}

static void set_reserve(long kb)
{
	FILE *file = fopen("/proc/sys/vm/min_free_kbytes", "w");

	check(file ? 0 : -1, "min_free_kbytes");
	fprintf(file, "%ld", kb);
	fclose(file);
}

/* Two processes allocate pages, three for each of the other one's, in turn: the
 * given number of times. So little memory is free that kswapd starts soon: it
 * does below 5/4 of the reserve.
 */
static void allocators(char **arguments)
{
	int turns = atoi(arguments[0]);
	long reserve_kb = number_in("/proc/sys/vm/min_free_kbytes", "");
	int pipes[2][2];
	char byte = 0;
	pid_t child;

	set_reserve(number_in("/proc/meminfo", "MemFree:") * 4 / 5 - 1024);
	check(pipe(pipes[0]), "pipe");
	check(pipe(pipes[1]), "pipe");
	child = fork();
	check(child, "fork");
	prctl(PR_SET_NAME, child ? "much" : "little");
	for (int i = 0; i < turns; i++) {
		if (!child)
			check(read(pipes[0][0], &byte, 1), "read");
		touch(child ? 3 * 32 : 32);
		check(write(pipes[!child][1], &byte, 1), "write");
		if (child)
			check(read(pipes[1][0], &byte, 1), "read");
		sleep_ms(1);
	}
	if (!child)
		return;
	waitpid(child, NULL, 0);
	set_reserve(reserve_kb);
}

/* Uses so many KiB of memory, only each eighth page of it, and the large blocks
 * that are left, until it is killed: no free block is as large as a huge page. It
 * prints its process's number then.
 */
static void fragmenter(char **arguments)
{
	size_t pages = strtoul(arguments[0], NULL, 10) * 1024 / PAGE;
	char *memory = map(pages * PAGE);

	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	check(madvise(memory, pages * PAGE, MADV_POPULATE_WRITE), "madvise");
	for (size_t i = 0; i + 8 <= pages; i += 8)
		madvise(memory + i * PAGE, (size_t)7 * PAGE, MADV_DONTNEED);
	for (int rest = 0; rest < 96; rest++)
		touch_huge();
	printf("%d\n", getpid());
	fflush(stdout);
	pause();
}

/* Allocates single pages and frees them, until it is killed. */
static void bystander(char **arguments)
{
	(void)arguments;
	for (;; sleep_ms(4))
		munmap(touch(64), (size_t)64 * PAGE);
}

/* Lacks a huge page so many times; others it gets, at most 150. */
static void lack_huge_pages(int times)
{
	static const char path[] = "/proc/self/smaps_rollup";
	static const char name[] = "AnonHugePages:";
	long had_kb = number_in(path, name);

	for (int turn = 0; times && turn < 150; turn++) {
		long has_kb;

		touch_huge();
		has_kb = number_in(path, name);
		times -= has_kb == had_kb;
		had_kb = has_kb;
		sleep_ms(2);
	}
}

/* Processes that lack huge pages, one after the other: it prints how long the
 * thread of this number ran meanwhile, by the kernel's count.
 */
static void compactors(char **arguments)
{
	static const char *const names[] = { "little", "much" };
	static const char events[] = "/proc/vmstat";
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/schedstat", arguments[0]);
	for (int one = 0; one < 2; one++) {
		long before_ns = number_in(path, "");
		long works = number_in(events, "compact_daemon_wake");
		long stalls = number_in(events, "allocstall_movable");
		pid_t child = fork();

		check(child, "fork");
		if (!child) {
			prctl(PR_SET_NAME, names[one]);
			lack_huge_pages(10 + 20 * one);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		sleep_ms(100);
		printf("%ld %ld %ld\n", number_in(path, "") - before_ns,
		       number_in(events, "compact_daemon_wake") - works,
		       number_in(events, "allocstall_movable") - stalls);
	}
}

/* Sends a byte to a child on another CPU and back, the given number of times.
 */
static void pinger(char **arguments)
{
	int turns = atoi(arguments[0]);
	int there[2];
	int back[2];
	char byte = 0;
	pid_t child;

	check(pipe(there), "pipe");
	check(pipe(back), "pipe");
	child = fork();
	check(child, "fork");
	prctl(PR_SET_NAME, child ? "pinger" : "ponger");
	run_on(child ? 0 : 1);
	for (int i = 0; i < turns; i++) {
		if (child)
			check(write(there[1], &byte, 1), "write");
		check(read(child ? back[0] : there[0], &byte, 1), "read");
		if (!child)
			check(write(back[1], &byte, 1), "write");
	}
	if (child)
		waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int arguments;
		void (*run)(char **arguments);
	} parts[] = {
		{ "hog", 1, hog },
		{ "reader", 2, reader },
		{ "writer", 2, writer },
		{ "receiver", 2, receiver },
		{ "sender", 3, sender },
		{ "sleeper", 1, sleeper },
		{ "pinger", 1, pinger },
		{ "forgetter", 1, forgetter },
		{ "dirtiers", 3, dirtiers },
		{ "sink", 1, sink },
		{ "streamer", 2, streamer },
		{ "doorkeeper", 2, doorkeeper },
		{ "knocker", 2, knocker },
		{ "waiter", 3, waiter },
		{ "allocators", 1, allocators },
		{ "fragmenter", 1, fragmenter },
		{ "bystander", 0, bystander },
		{ "compactors", 1, compactors },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (argc < 2 || strcmp(argv[1], parts[i].name) ||
		    argc != 2 + parts[i].arguments)
			continue;
		prctl(PR_SET_NAME, parts[i].name);
		parts[i].run(argv + 2);
		return 0;
	}
	fprintf(stderr, "usage: interrupts PART ARGUMENT...\n");
	return 2;
}
