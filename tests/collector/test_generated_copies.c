/* SPDX-License-Identifier: MIT */
/* The recorder's copies of the code that a process generates, and of the files
 * in which it lists that code.
 */
#include "collector/generated_code_internal.h"
#include "collector/process_memory_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/trace_unit/tracer.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/formats/generated_chunk.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = GENERATED_PAGE_BYTES, PAGES = 8 };

/* Counts the readings of the clock. */
static uint64_t times;

static uint64_t next_ns(const struct perf_event_mmap_page *page)
{
	(void)page;
	return ++times;
}

static const struct tracer tracer = { .now_ns = next_ns };
static const struct trace_clock test_clock = { .tracer = &tracer };

static char *memory;
static int to_child[2];
static int from_child[2];

/* A process that writes a byte to the page of each number that it reads. */
static pid_t start_child(void)
{
	pid_t pid;

	ck_assert_int_eq(pipe(to_child), 0);
	ck_assert_int_eq(pipe(from_child), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		char number;

		close(to_child[1]);
		while (read(to_child[0], &number, 1) == 1) {
			memory[number * PAGE]++;
			if (write(from_child[1], &number, 1) != 1)
				break;
		}
		_exit(0);
	}
	close(to_child[0]);
	return pid;
}

static void write_page(char number)
{
	ck_assert_int_eq(write(to_child[1], &number, 1), 1);
	ck_assert_int_eq(read(from_child[0], &number, 1), 1);
}

static void end_child(pid_t pid)
{
	close(to_child[1]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(from_child[0]);
	close(from_child[1]);
}

static void set_up(void)
{
	times = 0;
	memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
}

static void tear_down(void)
{
	munmap(memory, (size_t)PAGES * PAGE);
}

static struct process_memory *open_memory(pid_t pid, struct memory_pins *pins)
{
	struct process_memory *opened = process_memory_open(pid, 1, pins);

	ck_assert_ptr_nonnull(opened);
	ck_assert_int_eq(process_memory_add(opened, (uintptr_t)memory,
					    (uintptr_t)memory + PAGES * PAGE,
					    false),
			 0);
	return opened;
}

/* Reads the pages that are new or changed at @recent_ns or later, and checks the
 * result; fails unless page @number is the only
 * one that was written, with @byte, and was last seen without it at @since.
 * @number -1: none.
 */
static struct generated_chunk expect_look(struct process_memory *opened,
					  uint64_t recent_ns, int number,
					  char byte)
{
	int fd = memfd_create("copies", MFD_CLOEXEC);
	uint64_t left = 1 << 20;
	struct generated_chunk chunk = { 0 };
	char page[PAGE];

	ck_assert_int_eq(process_memory_read(opened, recent_ns, &test_clock, fd,
					     &left),
			 number >= 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END),
			 number < 0 ? 0 : (off_t)sizeof(chunk) + PAGE);
	if (number >= 0) {
		ck_assert_int_eq(pread(fd, &chunk, sizeof(chunk), 0),
				 sizeof(chunk));
		ck_assert_int_eq(pread(fd, page, PAGE, sizeof(chunk)), PAGE);
		ck_assert_uint_eq(chunk.address,
				  (uintptr_t)memory +
					  (unsigned int)number * PAGE);
		ck_assert_int_eq(page[0], byte);
		ck_assert_uint_le(chunk.since_ns, chunk.begin_ns);
		ck_assert_uint_lt(chunk.begin_ns, chunk.end_ns);
	}
	close(fd);
	return chunk;
}

static struct generated_chunk expect_read(struct process_memory *opened,
					  int number, char byte)
{
	return expect_look(opened, 0, number, byte);
}

START_TEST(a_page_is_copied_when_it_changes)
{
	pid_t pid = start_child();
	struct process_memory *opened = open_memory(pid, NULL);
	struct generated_chunk first;
	struct generated_chunk second;

	expect_read(opened, -1, 0);
	write_page(3);
	first = expect_read(opened, 3, 1);
	ck_assert_uint_eq(first.since_ns, 0);
	expect_read(opened, -1, 0);
	write_page(3);
	second = expect_read(opened, 3, 2);
	ck_assert_uint_gt(second.since_ns, first.end_ns);
	ck_assert(second.flags & GENERATED_IS_WRITABLE);
	process_memory_close(opened);
	end_child(pid);
}
END_TEST

START_TEST(a_page_of_zeros_is_copied_when_it_changes)
{
	struct process_memory *opened;
	struct generated_chunk chunk;
	pid_t pid;

	memset(memory, 0, (size_t)PAGES * PAGE);
	pid = start_child();
	opened = open_memory(pid, NULL);
	expect_read(opened, -1, 0);
	write_page(3);
	chunk = expect_read(opened, 3, 1);
	ck_assert_uint_gt(chunk.since_ns, 0);
	process_memory_close(opened);
	end_child(pid);
}
END_TEST

/* The first page has the header of a block of HotSpot that ends at page 5. */
START_TEST(a_look_reads_recent_changes_and_where_code_is_next)
{
	const uint64_t length = 5 * PAGE / 128;
	struct process_memory *opened;
	uint64_t next[2];
	struct generated_chunk chunk;
	pid_t pid;

	memset(memory, 0, (size_t)PAGES * PAGE);
	memcpy(memory, &length, sizeof(length));
	pid = start_child();
	opened = open_memory(pid, NULL);
	expect_look(opened, UINT64_MAX, 0, (char)length);
	expect_read(opened, -1, 0);
	write_page(5);
	expect_look(opened, UINT64_MAX, 5, 1);
	/* After the last block there is no code. */
	write_page(7);
	expect_look(opened, UINT64_MAX, -1, 0);
	expect_read(opened, 7, 1);
	write_page(0);
	expect_look(opened, UINT64_MAX, -1, 0);
	chunk = expect_read(opened, 0, (char)(length + 1));
	write_page(0);
	expect_look(opened, chunk.end_ns + 1, -1, 0);
	expect_look(opened, chunk.end_ns, 0, (char)(length + 2));
	process_memory_next(opened, next, 2);
	ck_assert_uint_eq(next[0], (uintptr_t)memory + 5 * PAGE + 128);
	ck_assert_uint_eq(next[1], 0);
	process_memory_close(opened);
	end_child(pid);
}
END_TEST

START_TEST(memory_that_is_not_writable_is_known_to_be)
{
	pid_t pid;
	struct process_memory *opened;

	memory[0] = 7;
	ck_assert_int_eq(mprotect(memory, PAGE, PROT_READ | PROT_EXEC), 0);
	pid = start_child();
	opened = open_memory(pid, NULL);
	ck_assert(!(expect_read(opened, 0, 7).flags & GENERATED_IS_WRITABLE));
	process_memory_close(opened);
	end_child(pid);
}
END_TEST

START_TEST(pinned_memory_outlives_its_process)
{
	struct memory_pins *pins = memory_pins_new();
	struct process_memory *opened;
	pid_t pid;

	if (!pins) {
		puts("skipped: userfaultfd is not permitted here");
		return;
	}
	pid = start_child();
	opened = open_memory(pid, pins);
	write_page(0);
	end_child(pid);
	expect_read(opened, 0, 1);
	process_memory_close(opened);
	memory_pins_free(pins);
}
END_TEST

START_TEST(the_limit_of_bytes_ends_the_copies)
{
	pid_t pid = start_child();
	struct process_memory *opened = open_memory(pid, NULL);
	int fd = memfd_create("copies", MFD_CLOEXEC);
	uint64_t left = sizeof(struct generated_chunk) + PAGE + 1;

	write_page(1);
	write_page(6);
	ck_assert_int_eq(process_memory_read(opened, 0, &test_clock, fd, &left),
			 1);
	ck_assert_uint_eq(left, 1);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END),
			 sizeof(struct generated_chunk) + PAGE);
	close(fd);
	process_memory_close(opened);
	end_child(pid);
}
END_TEST

/* A file of at most @size bytes, as if the disk were full. */
static int open_full(rlim_t size, struct rlimit *before)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, before), 0);
	limit = *before;
	limit.rlim_cur = size;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_IGN);
	errno = 0;
	return memfd_create("copies", MFD_CLOEXEC);
}

/* The last write before the disk is full writes less than requested, without
 * an errno.
 */
START_TEST(a_full_disk_is_reported_with_its_errno)
{
	pid_t pid = start_child();
	struct process_memory *opened = open_memory(pid, NULL);
	uint64_t left = 1 << 20;
	struct rlimit limit;
	int fd = open_full(PAGE, &limit);

	write_page(1);
	ck_assert_int_eq(process_memory_read(opened, 0, &test_clock, fd, &left),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, EFBIG);
	close(fd);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	expect_read(opened, -1, 0);
	fd = open_full(sizeof(struct generated_chunk) / 2, &limit);
	ck_assert_int_eq(process_memory_finish(opened, fd, &left),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, EFBIG);
	close(fd);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	process_memory_close(opened);
	end_child(pid);
}
END_TEST

static bool is_poll_failing;

int __real_poll(struct pollfd *polled, nfds_t count, int most_ms);
int __wrap_poll(struct pollfd *polled, nfds_t count, int most_ms);

int __wrap_poll(struct pollfd *polled, nfds_t count, int most_ms)
{
	if (!is_poll_failing)
		return __real_poll(polled, count, most_ms);
	errno = ENOMEM;
	return -1;
}

/* The thread of the pin waits for its page, or will, when poll() fails. */
START_TEST(a_pin_ends_if_poll_fails)
{
	struct memory_pins *pins = memory_pins_new();
	struct process_memory *opened;
	pid_t pid;

	if (!pins) {
		puts("skipped: userfaultfd is not permitted here");
		return;
	}
	pid = start_child();
	is_poll_failing = true;
	opened = open_memory(pid, pins);
	is_poll_failing = false;
	write_page(0);
	expect_read(opened, 0, 1);
	process_memory_close(opened);
	/* The next pin uses the same page of the recorder. */
	opened = open_memory(pid, pins);
	end_child(pid);
	expect_read(opened, 0, 1);
	process_memory_close(opened);
	memory_pins_free(pins);
}
END_TEST

static struct output_folder folder;
static char folder_path[64];
static char map_path[64];

static void make_folder(void)
{
	times = 0;
	snprintf(folder_path, sizeof(folder_path), "/tmp/generated-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder_path));
	ck_assert_int_eq(output_folder_open(&folder, folder_path, NULL), 0);
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	/* Programs leave their maps in /tmp, and process IDs are used again. */
	unlink(map_path);
}

static void remove_folder(void)
{
	output_folder_discard(&folder);
	unlink(map_path);
}

static void append(const char *path, const char *text)
{
	FILE *file = fopen(path, "ae");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* Copies the map, and fails unless the copy is @expected; NULL: there is none.
 */
static void expect_copy(struct generated_files *names, const char *expected)
{
	char path[128];
	char text[512] = "";
	uint64_t left = 1 << 20;
	ssize_t size;
	int fd;

	ck_assert_int_eq(generated_files_copy(names, &folder, &test_clock,
					      false, &left),
			 0);
	snprintf(path, sizeof(path), "%s/%d.map", folder_path, (int)names->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert(expected ? fd >= 0 : fd < 0);
	if (fd < 0)
		return;
	size = read(fd, text, sizeof(text) - 1);
	ck_assert_int_ge(size, 0);
	ck_assert_str_eq(text, expected);
	close(fd);
}

/* QEMU's user mode has no openat2() in some versions. */
static bool is_emulated(void)
{
	return syscall(SYS_openat2, -1, NULL, NULL, 0) < 0 && errno == ENOSYS;
}

START_TEST(a_perf_map_is_copied_line_by_line)
{
	struct generated_files names;

	if (is_emulated()) {
		puts("skipped: no openat2() here");
		return;
	}
	generated_files_open(&names, getpid());
	expect_copy(&names, NULL);
	append(map_path, "1000 10 one\n2000 ");
	expect_copy(&names, "# 1 2\n1000 10 one\n");
	expect_copy(&names, "# 1 2\n1000 10 one\n");
	append(map_path, "20 two\n");
	expect_copy(&names, "# 1 2\n1000 10 one\n# 3 4\n2000 20 two\n");
	generated_files_close(&names);
}
END_TEST

/* A file that is cut uses up the limit, so that the recorder reports it. */
START_TEST(a_map_beyond_the_limit_uses_it_up)
{
	struct generated_files names;
	uint64_t left = 8;

	if (is_emulated()) {
		puts("skipped: no openat2() here");
		return;
	}
	append(map_path, "1000 10 one\n");
	generated_files_open(&names, getpid());
	ck_assert_int_eq(generated_files_copy(&names, &folder, &test_clock,
					      false, &left),
			 0);
	ck_assert_uint_eq(left, 0);
	generated_files_close(&names);
}
END_TEST

START_TEST(the_map_of_another_user_is_not_read)
{
	struct generated_files names;

	if (geteuid()) {
		puts("skipped: only root can give a file away");
		return;
	}
	append(map_path, "1000 10 one\n");
	ck_assert_int_eq(chown(map_path, 12345, 12345), 0);
	generated_files_open(&names, getpid());
	expect_copy(&names, NULL);
	generated_files_close(&names);
	unlink(map_path);
	ck_assert_int_eq(mkfifo(map_path, 0600), 0);
	generated_files_open(&names, getpid());
	expect_copy(&names, NULL);
	generated_files_close(&names);
}
END_TEST

/* Starts a process of another user, which waits, and opens its files. */
static pid_t start_other_user(struct generated_files *names)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setresuid(12345, 12345, 12345) ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	generated_files_open(names, pid);
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)pid);
	unlink(map_path);
	return pid;
}

/* The user of a process, by the name of its map, cannot have another file
 * copied: neither one of root, by a second name or a mount, nor one by a link.
 */
START_TEST(only_files_of_the_process_s_user_are_read)
{
	struct generated_files names;
	char of_root[320];
	pid_t pid;

	if (geteuid() || is_emulated()) {
		puts("skipped: only root can act as two users");
		return;
	}
	pid = start_other_user(&names);
	snprintf(of_root, sizeof(of_root), "%s/secret", folder_path);
	append(map_path, "1000 10 secret\n");
	expect_copy(&names, NULL);
	ck_assert_int_eq(chown(map_path, 12345, 12345), 0);
	ck_assert_int_eq(rename(map_path, of_root), 0);
	ck_assert_int_eq(symlink(of_root, map_path), 0);
	expect_copy(&names, NULL);
	ck_assert_int_eq(unlink(map_path), 0);
	ck_assert_int_eq(rename(of_root, map_path), 0);
	expect_copy(&names, "# 2 3\n1000 10 secret\n");
	generated_files_close(&names);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	unlink(map_path);
}
END_TEST

SUITE("generated_copies")
{
	CASE("memory");
	FIXTURE(set_up, tear_down);
	TEST(a_page_is_copied_when_it_changes);
	TEST(a_page_of_zeros_is_copied_when_it_changes);
	TEST(a_look_reads_recent_changes_and_where_code_is_next);
	TEST(memory_that_is_not_writable_is_known_to_be);
	TEST(pinned_memory_outlives_its_process);
	TEST(the_limit_of_bytes_ends_the_copies);
	TEST(a_full_disk_is_reported_with_its_errno);
	TEST(a_pin_ends_if_poll_fails);
	CASE("names");
	FIXTURE(make_folder, remove_folder);
	TEST(a_perf_map_is_copied_line_by_line);
	TEST(a_map_beyond_the_limit_uses_it_up);
	TEST(the_map_of_another_user_is_not_read);
	TEST(only_files_of_the_process_s_user_are_read);
}
