/* SPDX-License-Identifier: MIT */
/* Makes many system calls, of two chosen kinds among others (gating.sh):
 *
 * 	chosen_calls OPENS READS
 *
 * opens a file OPENS times, with other calls between; then reads a pipe READS
 * times. Each read waits for a child that writes later, and meanwhile moves the
 * reader to another CPU, if there is one. Prints the number of calls of each
 * kind, with those of the child separate.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The library may use other calls for these. */
static void open_once(const char *path)
{
	char byte;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);

	if (fd < 0 || pread(fd, &byte, 1, 0) != 1 || close(fd)) {
		perror(path);
		exit(1);
	}
	syscall(SYS_getppid);
	syscall(SYS_dup3, 0, 0, O_CLOEXEC);
}

static void run_on(pid_t pid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(pid, sizeof(cpus), &cpus);
}

/* Each byte comes when the reader sleeps. */
static void write_slowly(int fd, int count, pid_t reader, int cpus)
{
	const struct timespec delay = { .tv_nsec = 1000000 };

	for (int i = 0; i < count; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
		run_on(reader, i % cpus);
		if (write(fd, "x", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void read_slowly(int count, int cpus)
{
	const pid_t reader = getpid();
	int status = 1;
	int pipes[2];
	pid_t child;
	char byte;

	if (pipe(pipes) < 0)
		exit(1);
	child = fork();
	if (!child)
		write_slowly(pipes[1], count, reader, cpus);
	for (int i = 0; i < count; i++)
		if (syscall(SYS_read, pipes[0], &byte, 1) != 1)
			exit(1);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(1);
}

int main(int argc, char **argv)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int opens;
	int reads;

	if (argc != 3)
		return 2;
	opens = atoi(argv[1]);
	reads = atoi(argv[2]);
	for (int i = 0; i < opens; i++)
		open_once(argv[0]);
	read_slowly(reads, cpus < 2 ? 1 : 2);
	printf("%d opens, %d reads\n", opens, reads);
	return 0;
}
