/* SPDX-License-Identifier: MIT */
/* A CPU's ring is memory that the test fills, its event a pipe. The linker
 * replaces pwritev() by __wrap_pwritev(), which may stall or fail, and poll().
 */
#include "collector/target/process_control.h"
#include "collector/writer/recording_writer.h"
#include "collector/writer/trace_writer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum {
	RING = 64 << 10,
	/* more than the writer's buffer, and no multiple of anything */
	TRACE = 3 * TRACE_WRITER_BUFFER + 12345,
};

/* A CPU that is traced. */
struct unit {
	struct perf_event_mmap_page page;
	_Alignas(4096) uint8_t bytes[RING];
	int event[2];
	uint64_t made; /* bytes of trace */
	struct trace_writer *writer;
};

enum behaviour {
	AS_USUAL,
	STALLED, /* for the file in question, until it is AS_USUAL */
	FULL_DISK,
	NOTHING_DIRECT, /* the file system refuses O_DIRECT when written to */
	NO_PAGES,	/* no device can read the ring: Linux 6.14 and later */
};

static struct scratch_folder folder;
static struct output_folder output;
static struct unit units[2];
static _Atomic enum behaviour behaviour;
static _Atomic int slow_file; /* its number */
static _Atomic bool is_stalled;
static _Atomic int policy; /* of the thread that wrote last */

static void pause_briefly(void)
{
	const struct timespec time = { .tv_nsec = 200000 };

	nanosleep(&time, NULL);
}

static int number_of(int fd)
{
	char link[64];
	char path[128] = "";
	int number = -1;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) > 0)
		sscanf(strrchr(path, '/'), "/data.%d", &number);
	return number;
}

static bool is_ring(const void *bytes)
{
	for (int i = 0; i < 2; i++)
		if ((uintptr_t)bytes - (uintptr_t)units[i].bytes < RING)
			return true;
	return false;
}

ssize_t __real_pwritev(int fd, const struct iovec *parts, int count, off_t at);
ssize_t __wrap_pwritev(int fd, const struct iovec *parts, int count, off_t at);

ssize_t __wrap_pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	policy = sched_getscheduler(0);
	while (behaviour == STALLED && number_of(fd) == slow_file) {
		is_stalled = true;
		pause_briefly();
	}
	if (behaviour == FULL_DISK) {
		errno = ENOSPC;
		return -1;
	}
	if (behaviour == NOTHING_DIRECT && fcntl(fd, F_GETFL) & O_DIRECT) {
		errno = EINVAL;
		return -1;
	}
	if (behaviour == NO_PAGES && is_ring(parts[count - 1].iov_base)) {
		errno = EFAULT;
		return -1;
	}
	return __real_pwritev(fd, parts, count, at);
}

static void start(int number, bool compress, const struct log *log)
{
	struct unit *unit = &units[number];
	const struct aux_ring aux = {
		.page = &unit->page,
		.bytes = unit->bytes,
		.size = RING,
	};
	const struct trace_writer_options options = {
		.folder = &output,
		.index = (uint32_t)number,
		.cpu = number,
		.compress = compress,
		.log = log,
	};

	memset(unit, 0, sizeof(*unit));
	ck_assert_int_eq(pipe(unit->event), 0);
	ck_assert_int_eq(trace_writer_start(&aux, unit->event[0], &options,
					    &unit->writer),
			 0);
}

static uint8_t byte_at(uint64_t position)
{
	return (uint8_t)(position * 7 + (position >> 12));
}

static uint64_t room(const struct unit *unit)
{
	return RING - (unit->made -
		       __atomic_load_n(&unit->page.aux_tail, __ATOMIC_ACQUIRE));
}

/* Writes up to @size bytes of trace, limited by the room, and wakes the writer.
 */
static void trace(struct unit *unit, uint64_t size)
{
	uint64_t end = unit->made + (size < room(unit) ? size : room(unit));

	for (; unit->made < end; unit->made++)
		unit->bytes[unit->made % RING] = byte_at(unit->made);
	__atomic_store_n(&unit->page.aux_head, end, __ATOMIC_RELEASE);
	ck_assert_int_eq(write(unit->event[1], "", 1), 1);
}

static uint64_t written(const struct unit *unit)
{
	return trace_writer_look(unit->writer).trace_bytes;
}

/* Some trace stays in the ring until the end. */
static void wait_until_read(const struct unit *unit)
{
	while (written(unit) + RING / TRACE_WRITER_RING_PARTS <= unit->made)
		pause_briefly();
}

/* Writes TRACE bytes in pieces of various sizes. */
static void trace_all(struct unit *unit)
{
	while (unit->made < TRACE) {
		uint64_t some = 1 + unit->made % 30011;

		trace(unit,
		      some < TRACE - unit->made ? some : TRACE - unit->made);
		wait_until_read(unit);
	}
}

static int finish(struct unit *unit)
{
	int error;

	trace_writer_stop(unit->writer);
	error = trace_writer_finish(unit->writer);
	close(unit->event[0]);
	if (unit->event[1] >= 0)
		close(unit->event[1]);
	return error;
}

/* Returns the content of a unit's file, decompressed. */
static struct byte_buffer content(int number, bool is_compressed)
{
	struct byte_buffer bytes = { 0 };
	struct byte_buffer plain = { 0 };
	char name[32];
	char path[128];

	snprintf(name, sizeof(name), "data.%d%s", number,
		 is_compressed ? ".zst" : "");
	scratch_folder_path(&folder, name, path, sizeof(path));
	ck_assert_int_eq(byte_buffer_file(&bytes, path), 0);
	if (!is_compressed)
		return bytes;
	plain.bytes = malloc(2 * (size_t)TRACE);
	ck_assert_ptr_nonnull(plain.bytes);
	plain.size = ZSTD_decompress(plain.bytes, 2 * (size_t)TRACE,
				     bytes.bytes, bytes.size);
	ck_assert(!ZSTD_isError(plain.size));
	byte_buffer_free(&bytes);
	return plain;
}

/* Returns the end of a record's trace, padding included, as far as trace was
 * made.
 */
static uint64_t end_of(const struct trace_record *record, uint64_t made)
{
	uint64_t end = record->offset + record->size;

	return end < made ? end : made;
}

/* Checks that the file has all trace of its unit, in records. */
static void check_file(int number, bool is_compressed)
{
	struct byte_buffer bytes = content(number, is_compressed);
	uint64_t position = 0;
	size_t at = 0;

	while (at < bytes.size) {
		struct trace_record record;

		ck_assert_uint_le(at + sizeof(record), bytes.size);
		memcpy(&record, bytes.bytes + at, sizeof(record));
		if (record.header.type == PERF_DATA_FINISHED_INIT) {
			at += record.header.size;
			continue;
		}
		at += sizeof(record);
		ck_assert_uint_eq(record.header.type, PERF_DATA_AUXTRACE);
		ck_assert_uint_eq(record.cpu, (uint32_t)number);
		ck_assert_uint_eq(record.index, (uint32_t)number);
		/* Up to 7 bytes of the previous record are padding. */
		ck_assert_uint_le(record.offset, position);
		ck_assert_uint_gt(record.offset + 8, position);
		position = record.offset;
		ck_assert_uint_le(at + record.size, bytes.size);
		for (uint64_t i = 0; i + 8 <= record.size; i++)
			if (bytes.bytes[at + i] != byte_at(position++))
				ck_abort_msg("byte %llu differs",
					     (unsigned long long)position - 1);
		position = end_of(&record, units[number].made);
		at += record.size;
	}
	ck_assert_uint_eq(position, units[number].made);
	byte_buffer_free(&bytes);
}

static void set_up(void)
{
	behaviour = AS_USUAL;
	is_stalled = false;
	slow_file = 0;
	folder = scratch_folder_new();
	output = scratch_folder_output(&folder);
}

static void tear_down(void)
{
	for (int i = 0; i < 2; i++) {
		trace_writer_free(units[i].writer);
		units[i].writer = NULL;
	}
	output_folder_close(&output);
	scratch_folder_free(&folder);
}

static const struct {
	enum behaviour behaviour;
	bool compress;
} rows[] = {
	{ AS_USUAL, false },
	{ AS_USUAL, true },
	{ NOTHING_DIRECT, false },
	{ NO_PAGES, false },
};

START_TEST(writes_all_trace)
{
	behaviour = rows[_i].behaviour;
	start(1, rows[_i].compress, NULL);
	trace_all(&units[1]);
	ck_assert_int_eq(finish(&units[1]), 0);
	check_file(1, rows[_i].compress);
	ck_assert_uint_eq(trace_writer_look(units[1].writer).trace_bytes,
			  TRACE);
}
END_TEST

START_TEST(writes_the_rest_at_the_stop)
{
	start(0, false, NULL);
	trace(&units[0], 100);
	ck_assert_int_eq(finish(&units[0]), 0);
	check_file(0, false);
}
END_TEST

START_TEST(a_stalled_file_delays_no_other)
{
	start(0, false, NULL);
	start(1, false, NULL);
	slow_file = 0;
	behaviour = STALLED;
	while (!is_stalled) {
		trace(&units[0], RING / 4);
		pause_briefly();
	}
	trace_all(&units[1]);
	ck_assert_int_eq(finish(&units[1]), 0);
	ck_assert_uint_eq(written(&units[1]), TRACE);
	check_file(1, false);
	ck_assert_uint_lt(written(&units[0]), units[0].made);
	behaviour = AS_USUAL;
	ck_assert_int_eq(finish(&units[0]), 0);
	check_file(0, false);
}
END_TEST

START_TEST(reports_the_largest_delay_of_a_file)
{
	struct trace_lag lag;

	start(0, false, NULL);
	behaviour = STALLED;
	while (!is_stalled) {
		trace(&units[0], RING / 4);
		pause_briefly();
	}
	trace(&units[0], RING);
	usleep(20000);
	behaviour = AS_USUAL;
	ck_assert_int_eq(finish(&units[0]), 0);
	lag = trace_writer_look(units[0].writer).lag;
	ck_assert_uint_eq(lag.unread_bytes, RING);
	ck_assert_uint_ge(lag.write_ns, 20000000);
}
END_TEST

START_TEST(reports_where_the_ring_was_full)
{
	uint64_t full_at;

	start(0, false, NULL);
	trace(&units[0], RING / 2);
	wait_until_read(&units[0]);
	ck_assert_int_eq(trace_writer_take(units[0].writer, &full_at), 0);
	ck_assert_uint_eq(full_at, 0);
	trace(&units[0], RING);
	wait_until_read(&units[0]);
	ck_assert_int_eq(finish(&units[0]), 0);
	ck_assert_int_eq(trace_writer_take(units[0].writer, &full_at), 0);
	ck_assert_uint_eq(full_at, RING / 2 + RING);
	ck_assert_int_eq(trace_writer_take(units[0].writer, &full_at), 0);
	ck_assert_uint_eq(full_at, 0);
}
END_TEST

START_TEST(wakes_the_loop_and_hangs_up_like_the_event)
{
	struct pollfd polled;
	uint64_t full_at;

	start(0, false, NULL);
	polled = (struct pollfd){ .fd = trace_writer_wake(units[0].writer),
				  .events = POLLIN };
	ck_assert_int_eq(poll(&polled, 1, 0), 0);
	trace(&units[0], 100);
	ck_assert_int_eq(poll(&polled, 1, -1), 1);
	ck_assert_int_eq(polled.revents, POLLIN);
	wait_until_read(&units[0]);
	close(units[0].event[1]);
	units[0].event[1] = -1;
	do {
		ck_assert_int_eq(trace_writer_take(units[0].writer, &full_at),
				 0);
		ck_assert_int_eq(poll(&polled, 1, -1), 1);
	} while (!(polled.revents & POLLHUP));
	ck_assert_int_eq(finish(&units[0]), 0);
	check_file(0, false);
}
END_TEST

/* Otherwise a busy CPU fills its ring while the writer waits for a time slice.
 * Where the kernel permits no priority, both stay as they are.
 */
START_TEST(runs_before_ordinary_threads_like_the_loop)
{
	struct priority priority;
	int raised;

	priority_raise(&priority);
	raised = sched_getscheduler(0);
	start(0, false, NULL);
	trace(&units[0], 100);
	ck_assert_int_eq(finish(&units[0]), 0);
	ck_assert(priority_restore(&priority));
	ck_assert_int_eq(policy, raised);
}
END_TEST

START_TEST(a_failed_write_ends_the_writer)
{
	char said[LOG_FIXTURE_TEXT] = "";
	const struct log log = { log_fixture_keep, said };
	uint64_t full_at;

	start(0, false, &log);
	behaviour = FULL_DISK;
	while (!trace_writer_take(units[0].writer, &full_at)) {
		trace(&units[0], RING / 4);
		pause_briefly();
	}
	ck_assert_int_eq(finish(&units[0]), -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(said, "No space left"));
}
END_TEST

SUITE("trace_writer")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(writes_all_trace, rows);
	TEST(writes_the_rest_at_the_stop);
	TEST(a_stalled_file_delays_no_other);
	TEST(reports_the_largest_delay_of_a_file);
	TEST(reports_where_the_ring_was_full);
	TEST(wakes_the_loop_and_hangs_up_like_the_event);
	TEST(runs_before_ordinary_threads_like_the_loop);
	TEST(a_failed_write_ends_the_writer);
}
