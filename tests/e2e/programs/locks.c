/* SPDX-License-Identifier: MIT */
/* Waits for locks, for attribution_locks.sh. Four threads lock a mutex that the
 * first one holds for 5 ms; then three lock a pipe's mutex, which another holds
 * as long: it writes memory that is not resident yet; and the same with the lock
 * of a file in memory. With an argument two lock
 * a file, by flock() and again by fcntl(), and a third gives up because of a
 * signal. Prints the file's name in /proc/locks, the mutex's address, and the
 * time from before each of the first two was held until all had had it.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAITERS = 4, WRITERS = 3, LOCKERS = 3, PAGE = 4096, HOLD_US = 5000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int written; /* the pipe or file that the threads write to */

static long check(long result)
{
	if (result >= 0)
		return result;
	perror("locks");
	exit(1);
}

static long now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void *want_mutex(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "waiter");
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

/* Writes without the lock of the file's position. A pipe has none. */
static void write_some(const void *bytes, size_t size)
{
	if (pwrite(written, bytes, size, 0) < 0)
		check(write(written, bytes, size));
}

static void *want_to_write(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "writer");
	write_some("x", 1);
	return NULL;
}

static void *hold_written(void *page)
{
	prctl(PR_SET_NAME, "holder");
	write_some(page, PAGE);
	return NULL;
}

static void start(pthread_t *thread, void *(*run)(void *), void *argument)
{
	check(-pthread_create(thread, NULL, run, argument));
}

static void contend_mutex(void)
{
	pthread_t threads[WAITERS];

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < WAITERS; i++)
		start(&threads[i], want_mutex, NULL);
	usleep(HOLD_US);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
}

/* Returns a page that is not resident until the handler of *@uffd provides it.
 */
static void *make_page(int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = {
		.range = { (uintptr_t)page, PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	*uffd = (int)check(syscall(SYS_userfaultfd, O_CLOEXEC));
	check(ioctl(*uffd, UFFDIO_API, &api));
	check(ioctl(*uffd, UFFDIO_REGISTER, &range));
	return page;
}

static void contend_writes(int file)
{
	pthread_t holder, threads[WRITERS];
	int uffd;
	void *page = make_page(&uffd);
	struct uffdio_zeropage zero = { .range = { (uintptr_t)page, PAGE } };

	written = file;
	start(&holder, hold_written, page);
	usleep(HOLD_US);
	for (int i = 0; i < WRITERS; i++)
		start(&threads[i], want_to_write, NULL);
	usleep(HOLD_US);
	check(ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(holder, NULL);
}

static int by_flock(int file, bool is_wanted)
{
	return flock(file, is_wanted ? LOCK_EX : LOCK_UN);
}

static int by_fcntl(int file, bool is_wanted)
{
	struct flock lock = { .l_type = is_wanted ? F_WRLCK : F_UNLCK };

	return fcntl(file, F_SETLKW, &lock);
}

static void give_up(int signal)
{
	(void)signal;
}

/* Starts a process that locks the file at @path, by an open file of its own. */
static int start_locker(const char *path, int (*lock)(int file, bool is_wanted))
{
	const struct sigaction action = { .sa_handler = give_up };
	int child = (int)check(fork());
	int file;

	if (child)
		return child;
	prctl(PR_SET_NAME, "locker");
	sigaction(SIGUSR1, &action, NULL);
	file = (int)check(open(path, O_RDWR));
	if (lock(file, true) == 0)
		lock(file, false);
	_exit(0);
}

/* Returns the number of waiters for file locks: /proc/locks marks them with
 * arrows.
 */
static int count_waiting(void)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	int count = 0;

	while (locks && fgets(line, sizeof(line), locks))
		count += strstr(line, "->") != NULL;
	if (locks)
		fclose(locks);
	return count;
}

static void contend_file(const char *path, int file,
			 int (*lock)(int file, bool is_wanted))
{
	int children[LOCKERS];

	check(lock(file, true));
	for (int i = 0; i < LOCKERS; i++) {
		children[i] = start_locker(path, lock);
		while (count_waiting() <= i)
			usleep(HOLD_US / LOCKERS);
	}
	usleep(HOLD_US);
	kill(children[LOCKERS - 1], SIGUSR1);
	waitpid(children[LOCKERS - 1], NULL, 0);
	check(lock(file, false));
	while (wait(NULL) > 0)
		;
}

/* Prints the name in /proc/locks of the file that this process has locked: on
 * an overlay its device is not that of fstat().
 */
static void say_place(void)
{
	FILE *locks = fopen("/proc/locks", "re");
	char place[40];
	int pid;

	while (locks && fscanf(locks, "%*s %*s %*s %*s %d %39s %*[^\n]", &pid,
			       place) == 2)
		if (pid == getpid())
			printf("%s ", place);
	if (locks)
		fclose(locks);
}

static void contend_files(void)
{
	char path[] = "/tmp/locksXXXXXX";
	int file = (int)check(mkstemp(path));

	contend_file(path, file, by_flock);
	contend_file(path, file, by_fcntl);
	check(by_flock(file, true));
	say_place();
	unlink(path);
}

int main(int argc, char **argv)
{
	long begin_ns = now_ns(), between_ns, end_ns;
	int ends[2];

	(void)argv;
	contend_mutex();
	between_ns = now_ns();
	check(pipe(ends));
	contend_writes(ends[1]);
	end_ns = now_ns();
	contend_writes((int)check(syscall(SYS_memfd_create, "locks", 0)));
	if (argc > 1)
		contend_files();
	printf("%p %ld %ld\n", (void *)&mutex, between_ns - begin_ns,
	       end_ns - between_ns);
	return 0;
}
