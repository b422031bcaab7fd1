/* SPDX-License-Identifier: MIT */
/* Threads that wait for the same page, and for the same inode, for
 * attribution_block.sh:
 *
 *	same_object FILE
 *	same_object FOLDER LINK
 *
 * THREADS threads read page PAGE_READ of FILE at once, which is not in memory:
 * all wait for it. Or they call stat() for the names LINK0, LINK1 and so on of one
 * file in FOLDER, whose inode is not in memory: the first reads it, the others
 * wait. The inode must not be in one block with that of FOLDER. Prints each
 * thread's tid, how long its call took, and for how long of it at most the thread
 * waited for a CPU. Needs root, to empty the page cache.
 */
#include "tests/e2e/programs/program.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, PAGE = 4096, PAGE_READ = 3 };

/* A thread, and what it uses. */
struct user {
	pthread_t thread;
	pthread_barrier_t *barrier;
	int fd; /* -1: it calls stat() for path */
	char path[256];
};

static void empty_cache(void)
{
	int fd = check(open("/proc/sys/vm/drop_caches", O_WRONLY), "caches");

	sync();
	check((int)write(fd, "1", 1), "caches");
	close(fd);
}

static void *use(void *of)
{
	struct user *user = of;
	char byte;
	struct stat info;
	uint64_t start_ns;
	uint64_t delay_ns;
	uint64_t took_ns;

	prctl(PR_SET_NAME, user->fd >= 0 ? "page" : "inode");
	delay_ns = cpu_delay_ns();
	pthread_barrier_wait(user->barrier);
	start_ns = now_ns();
	if (user->fd >= 0)
		check((int)pread(user->fd, &byte, 1, PAGE_READ * PAGE), "read");
	else
		check(stat(user->path, &info), user->path);
	took_ns = now_ns() - start_ns;
	printf("%d %lu %lu\n", gettid(), took_ns, cpu_delay_ns() - delay_ns);
	return NULL;
}

/* Runs the threads, which read @fd, or if it is -1 use the names @links. */
static void run(int fd, const char *links)
{
	struct user users[THREADS];
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		users[i].barrier = &barrier;
		users[i].fd = fd;
		snprintf(users[i].path, sizeof(users[i].path), "%s%d", links,
			 i);
		check(-pthread_create(&users[i].thread, NULL, use, &users[i]),
		      "pthread_create");
	}
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(users[i].thread, NULL);
}

int main(int argc, char **argv)
{
	struct stat none;
	int fd;

	if (argc != 2 && argc != 3)
		return 2;
	/* A new time of access would read the file's inode. */
	fd = check(open(argv[1], O_RDONLY | O_NOATIME), argv[1]);
	check(-posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), argv[1]);
	empty_cache();
	/* Reads the folder, so that all threads find the inode at once. */
	if (argc == 3)
		stat(argv[2], &none);
	run(argc == 3 ? -1 : fd, argv[argc - 1]);
	return 0;
}
