/* SPDX-License-Identifier: MIT */
/* The invariants of serve/kernel_files_internal.h, with a source that the test
 * controls.
 */
#include "common/error.h"
#include "common/log.h"
#include "serve/kernel_files_internal.h"
#include "tests/fixtures/log.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES = 64 << 10 };

/* A kernel whose copies contain their number. */
static struct {
	sem_t may_copy;
	bool has_changed;
	bool fails;
	char copies;
} kernel;

static struct kernel_files files;
static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };

static bool has_changed(void *context)
{
	bool before = kernel.has_changed;

	(void)context;
	kernel.has_changed = false;
	return before;
}

static int copy(void *context, const struct output_folder *folder,
		const struct log *log)
{
	static char bytes[FILE_BYTES];
	int error = 0;

	(void)context;
	sem_wait(&kernel.may_copy);
	kernel.copies++;
	memset(bytes, kernel.copies, sizeof(bytes));
	for (size_t i = 0; i < SERVE_FILES && !error; i++)
		error = output_folder_save(folder,
					   serve_file_name((enum serve_file)i),
					   bytes, sizeof(bytes), log);
	if (!kernel.fails)
		return error;
	errno = EDOM;
	log_message(log, LOG_ERROR, "kcore", LOG_NO_OFFSET, "is not there");
	return -ERROR_SYSTEM;
}

static void set_up(void)
{
	const struct kernel_source source = { NULL, has_changed, copy };

	memset(&kernel, 0, sizeof(kernel));
	sem_init(&kernel.may_copy, 0, 0);
	said[0] = '\0';
	ck_assert_int_eq(kernel_files_open(&files, source, &log_said), 0);
}

static void tear_down(void)
{
	kernel_files_close(&files);
	sem_destroy(&kernel.may_copy);
}

static void let_finish(void)
{
	struct pollfd polled = { .fd = files.finish_fd, .events = POLLIN };

	sem_post(&kernel.may_copy);
	ck_assert_int_eq(poll(&polled, 1, -1), 1);
	kernel_files_finish(&files);
	ck_assert_int_eq(poll(&polled, 1, 0), 0);
}

static int consume(uint64_t since, int fds[SERVE_FILES])
{
	return kernel_files_take(&files, since, &log_said, fds);
}

/* Returns the number of the copy that @fds are of; 0: it is withdrawn. */
static int number_of(const int fds[SERVE_FILES])
{
	char bytes[SERVE_FILES] = { 0 };

	for (size_t i = 0; i < SERVE_FILES; i++)
		ck_assert_int_ge(pread(fds[i], &bytes[i], 1, FILE_BYTES - 1),
				 0);
	for (size_t i = 1; i < SERVE_FILES; i++)
		ck_assert_int_eq(bytes[i], bytes[0]);
	return bytes[0];
}

static void close_all(const int fds[SERVE_FILES])
{
	for (size_t i = 0; i < SERVE_FILES; i++)
		close(fds[i]);
}

/* Returns the number of the copy that a client gets. */
static int expect_copy(uint64_t since)
{
	int fds[SERVE_FILES];
	int number;

	ck_assert_int_eq(consume(since, fds), 0);
	number = number_of(fds);
	close_all(fds);
	return number;
}

static void expect_wait(uint64_t since)
{
	int fds[SERVE_FILES];

	ck_assert_int_eq(consume(since, fds), 1);
	ck_assert(kernel_files_is_waiting(&files, since));
}

/* Nothing here waits: the source does not copy before let_finish(). */
START_TEST(invariant_1_one_copy_at_a_time_delays_no_client)
{
	expect_wait(0);
	for (int i = 0; i < 100; i++)
		expect_wait(0);
	ck_assert_uint_eq(files.started, 1);
	let_finish();
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(expect_copy(0), 1);
	ck_assert_int_eq(kernel.copies, 1);
	kernel.has_changed = true;
	expect_wait(files.started);
	/* A client that copy 1 suffices is served while copy 2 is made. */
	ck_assert(!kernel_files_is_waiting(&files, 0));
	ck_assert_int_eq(expect_copy(0), 1);
	let_finish();
}
END_TEST

START_TEST(invariant_2_two_copies_are_the_longest_wait)
{
	uint64_t during;

	expect_wait(0);
	/* This client comes during copy 1, after a change. */
	during = files.started;
	kernel.has_changed = true;
	expect_wait(during);
	let_finish();
	expect_wait(during);
	/* Others need further copies, but this one does not. */
	for (int i = 0; i < 5; i++) {
		let_finish();
		ck_assert_int_eq(expect_copy(during), 2 + i);
		kernel.has_changed = true;
		expect_wait(files.started);
	}
	let_finish();
}
END_TEST

START_TEST(invariant_2_an_unchanged_copy_is_enough)
{
	expect_wait(0);
	expect_wait(files.started);
	let_finish();
	ck_assert_int_eq(expect_copy(files.started), 1);
	ck_assert_int_eq(kernel.copies, 1);
}
END_TEST

/* A change before the copy starts is in it. */
START_TEST(invariant_2_changes_before_a_copy_do_not_outdate_it)
{
	kernel.has_changed = true;
	expect_wait(0);
	let_finish();
	ck_assert_int_eq(expect_copy(files.started), 1);
}
END_TEST

START_TEST(invariant_3_clients_share_files_but_not_positions)
{
	int first[SERVE_FILES];
	int second[SERVE_FILES];

	expect_wait(0);
	let_finish();
	ck_assert_int_eq(consume(0, first), 0);
	ck_assert_int_eq(consume(0, second), 0);
	for (size_t i = 0; i < SERVE_FILES; i++) {
		struct stat stats[2];

		ck_assert_int_eq(fstat(first[i], &stats[0]), 0);
		ck_assert_int_eq(fstat(second[i], &stats[1]), 0);
		ck_assert_uint_eq(stats[0].st_ino, stats[1].st_ino);
		ck_assert_uint_eq(stats[0].st_nlink, 0);
		ck_assert_int_eq(lseek(first[i], 7, SEEK_SET), 7);
		ck_assert_int_eq(lseek(second[i], 0, SEEK_CUR), 0);
		ck_assert_int_eq(fcntl(first[i], F_GETFL) & O_ACCMODE,
				 O_RDONLY);
	}
	close_all(first);
	close_all(second);
}
END_TEST

/* Returns the disk space of one copy's files. */
static uint64_t space_of_one(const int fds[SERVE_FILES])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SERVE_FILES; i++) {
		struct stat stat;

		ck_assert_int_eq(fstat(fds[i], &stat), 0);
		sum += (uint64_t)stat.st_size;
	}
	return sum;
}

static uint64_t space_of_all(int (*fds)[SERVE_FILES], size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += space_of_one(fds[i]);
	return sum;
}

/* A client keeps the descriptors of each copy, and never closes any. */
START_TEST(invariant_4_held_descriptors_pin_a_few_copies)
{
	enum { HELD = 50 };
	int(*held)[SERVE_FILES] = calloc(HELD, sizeof(*held));
	uint64_t bytes = 0;

	for (size_t i = 0; i < HELD; i++) {
		kernel.has_changed = true;
		expect_wait(files.started);
		let_finish();
		ck_assert_int_eq(consume(files.started, held[i]), 0);
		ck_assert_int_eq(number_of(held[i]), (int)i + 1);
		if (!i)
			bytes = space_of_one(held[0]);
		ck_assert_uint_le(space_of_all(held, i + 1),
				  BUDGET_KERNEL_COPIES * bytes);
	}
	ck_assert_uint_eq(bytes, SERVE_FILES * FILE_BYTES);
	for (size_t i = 0; i < HELD; i++)
		close_all(held[i]);
	free(held);
}
END_TEST

/* While the next copy is made, too, the space is at most that of four. */
START_TEST(invariant_4_the_oldest_copy_makes_room)
{
	int first[SERVE_FILES];

	expect_wait(0);
	let_finish();
	ck_assert_int_eq(consume(0, first), 0);
	for (unsigned int i = 1; i < BUDGET_KERNEL_COPIES; i++) {
		ck_assert_int_eq(number_of(first), 1);
		kernel.has_changed = true;
		expect_wait(files.started);
		let_finish();
	}
	ck_assert_int_eq(number_of(first), 1);
	kernel.has_changed = true;
	expect_wait(files.started);
	let_finish();
	ck_assert_int_eq(number_of(first), 0);
	close_all(first);
}
END_TEST

/* A file that cannot be truncated, as others must not be before the first. */
START_TEST(invariant_5_kcore_is_withdrawn_first)
{
	struct shared_copy *oldest = &files.copies[2];
	int fds[SERVE_FILES];
	int kcore;

	expect_wait(0);
	let_finish();
	kernel.has_changed = true;
	expect_wait(files.started);
	let_finish();
	ck_assert_int_eq(consume(files.started, fds), 0);
	kcore = oldest->fds[SERVE_KCORE];
	oldest->fds[SERVE_KCORE] = fds[SERVE_KCORE];
	for (unsigned int i = 1; i < BUDGET_KERNEL_COPIES; i++) {
		kernel.has_changed = true;
		expect_wait(files.started);
		let_finish();
	}
	ck_assert_int_eq(number_of(fds), 2);
	kernel.has_changed = true;
	expect_wait(files.started);
	let_finish();
	/* Nothing of the copy is lost, and no further copy is made. */
	ck_assert_int_eq(number_of(fds), 2);
	ck_assert_int_eq(kernel.copies, BUDGET_KERNEL_COPIES + 1);
	ck_assert_int_eq(consume(files.started - 1, fds), -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(said, "cannot be replaced"));
	oldest->fds[SERVE_KCORE] = kcore;
}
END_TEST

/* Clients that waited for a failed copy get its reason; the next client starts
 * another copy.
 */
START_TEST(a_failure_is_reported_to_waiting_clients)
{
	int fds[SERVE_FILES];

	kernel.fails = true;
	expect_wait(0);
	let_finish();
	for (int i = 0; i < 2; i++) {
		said[0] = '\0';
		ck_assert_int_eq(consume(0, fds), -ERROR_SYSTEM);
		ck_assert_int_eq(errno, EDOM);
		ck_assert_ptr_nonnull(strstr(said, "kcore: is not there"));
	}
	kernel.fails = false;
	expect_wait(files.started);
	let_finish();
	ck_assert_int_eq(expect_copy(files.started), 2);
	/* An older copy still suffices whoever came before it. */
	kernel.fails = true;
	kernel.has_changed = true;
	expect_wait(files.started);
	let_finish();
	ck_assert_int_eq(expect_copy(1), 2);
	ck_assert_int_lt(consume(2, fds), 0);
}
END_TEST

START_TEST(closing_waits_for_the_copy)
{
	expect_wait(0);
	sem_post(&kernel.may_copy);
	kernel_files_close(&files);
	ck_assert_int_eq(kernel.copies, 1);
	files = (struct kernel_files){ 0 };
}
END_TEST

SUITE("kernel_files")
{
	FIXTURE(set_up, tear_down);
	TEST(invariant_1_one_copy_at_a_time_delays_no_client);
	TEST(invariant_2_two_copies_are_the_longest_wait);
	TEST(invariant_2_an_unchanged_copy_is_enough);
	TEST(invariant_2_changes_before_a_copy_do_not_outdate_it);
	TEST(invariant_3_clients_share_files_but_not_positions);
	TEST(invariant_4_held_descriptors_pin_a_few_copies);
	TEST(invariant_4_the_oldest_copy_makes_room);
	TEST(invariant_5_kcore_is_withdrawn_first);
	TEST(a_failure_is_reported_to_waiting_clients);
	TEST(closing_waits_for_the_copy);
}
