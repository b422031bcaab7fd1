/* SPDX-License-Identifier: MIT */
/* The time of servers in a window is the part of their threads' time in it; and
 * the cached records for that can be read back.
 */
#include "common/bytes.h"
#include "tables/requests/servers.h"
#include "tests/run_suite.h"

static const struct server_record records[] = {
	{ .kind = SERVER_INTERVAL,
	  .part = PART_KERNEL,
	  .thread = 3,
	  .pid = 8,
	  .begin_ns = 50,
	  .end_ns = 120 },
	{ .kind = SERVER_INTERVAL,
	  .part = PART_USER,
	  .thread = 3,
	  .pid = 8,
	  .begin_ns = 120,
	  .end_ns = 180 },
	{ .kind = SERVER_INTERVAL,
	  .part = PART_ASLEEP,
	  .thread = 3,
	  .pid = 8,
	  .begin_ns = 180,
	  .end_ns = 300 },
	{ .kind = SERVER_INTERVAL,
	  .part = PART_USER,
	  .thread = 4,
	  .pid = 9,
	  .begin_ns = 0,
	  .end_ns = 300 },
	{ .kind = SERVER_SEGMENT,
	  .is_inferred = true,
	  .thread = 3,
	  .pid = 8,
	  .client_pid = 7,
	  .begin_ns = 60,
	  .end_ns = 150 },
	{ .kind = SERVER_SEGMENT,
	  .thread = 3,
	  .pid = 8,
	  .client_pid = 6,
	  .begin_ns = 150,
	  .end_ns = 250 },
	/* This segment is before the window. */
	{ .kind = SERVER_SEGMENT,
	  .thread = 4,
	  .pid = 9,
	  .client_pid = 6,
	  .begin_ns = 10,
	  .end_ns = 100 },
};

enum { RECORDS = sizeof(records) / sizeof(*records) };

static struct server_times times_of(struct time_window window)
{
	struct server_times times = server_times_of(window);

	for (size_t i = 0; i < RECORDS; i++)
		ck_assert_int_eq(server_times_add(&times, &records[i]), 0);
	return times;
}

START_TEST(work_is_cut_to_the_window)
{
	struct server_times times = times_of((struct time_window){ 100, 200 });
	const struct server_thread *thread;
	uint64_t parts[REQUEST_PARTS];

	ck_assert_uint_eq(times.segments.count, 2);
	server_times_of_segment(&times, array_at(&times.segments, 0), parts);
	ck_assert_uint_eq(parts[PART_KERNEL], 20);
	ck_assert_uint_eq(parts[PART_USER], 30);
	ck_assert_uint_eq(parts[PART_ASLEEP], 0);
	server_times_of_segment(&times, array_at(&times.segments, 1), parts);
	ck_assert_uint_eq(parts[PART_KERNEL], 0);
	ck_assert_uint_eq(parts[PART_USER], 30);
	ck_assert_uint_eq(parts[PART_ASLEEP], 20);
	thread = array_at(&times.threads.items, 0);
	ck_assert_int_eq(thread->pid, 8);
	ck_assert_uint_eq(thread->parts[PART_KERNEL], 20);
	ck_assert_uint_eq(thread->parts[PART_USER], 60);
	ck_assert_uint_eq(thread->parts[PART_ASLEEP], 20);
	server_times_free(&times);
}
END_TEST

/* Adjacent windows add up to the window of both. */
START_TEST(windows_add_up)
{
	static const uint64_t ends[] = { 0, 55, 121, 122, 200, 400 };
	uint64_t sum = 0;

	for (size_t i = 0; i + 1 < sizeof(ends) / sizeof(*ends); i++) {
		struct server_times times =
			times_of((struct time_window){ ends[i], ends[i + 1] });

		for (size_t j = 0; j < times.segments.count; j++) {
			uint64_t parts[REQUEST_PARTS];

			server_times_of_segment(
				&times, array_at(&times.segments, j), parts);
			for (int part = 0; part < REQUEST_PARTS; part++)
				sum += parts[part];
		}
		server_times_free(&times);
	}
	ck_assert_uint_eq(sum, 90 + 100 + 90);
}
END_TEST

/* A cached file may have a work segment of a thread without any time. */
START_TEST(work_without_a_request_takes_no_time)
{
	struct server_times times = server_times_of(TIME_WINDOW_ALL);
	uint64_t parts[REQUEST_PARTS];

	server_times_add(&times, &records[4]);
	server_times_of_segment(&times, array_at(&times.segments, 0), parts);
	for (int part = 0; part < REQUEST_PARTS; part++)
		ck_assert_uint_eq(parts[part], 0);
	server_times_free(&times);
}
END_TEST

static struct server_record read_record(const struct pack *written, size_t size,
					bool *has_failed)
{
	struct pack pack = pack_to_read(written->out.bytes, size);
	struct server_record record = { 0 };

	server_record_pack(&pack, &record);
	*has_failed = pack.failed;
	return record;
}

START_TEST(a_record_comes_back)
{
	const struct server_record *wanted = &records[_i];
	struct server_record record = *wanted;
	struct pack written = pack_to_write();
	bool has_failed;

	server_record_pack(&written, &record);
	record = read_record(&written, written.out.size, &has_failed);
	ck_assert(!has_failed);
	ck_assert_uint_eq(record.kind, wanted->kind);
	ck_assert_uint_eq(record.part, wanted->part);
	ck_assert_int_eq(record.is_inferred, wanted->is_inferred);
	ck_assert_uint_eq(record.thread, wanted->thread);
	ck_assert_int_eq(record.pid, wanted->pid);
	ck_assert_int_eq(record.client_pid, wanted->client_pid);
	ck_assert_uint_eq(record.begin_ns, wanted->begin_ns);
	ck_assert_uint_eq(record.end_ns, wanted->end_ns);
	for (size_t i = 0; i < written.out.size; i++) {
		uint8_t byte = written.out.bytes[i];

		read_record(&written, i, &has_failed);
		ck_assert(has_failed);
		written.out.bytes[i] = (uint8_t)~byte;
		record = read_record(&written, written.out.size, &has_failed);
		ck_assert(has_failed || (record.kind < SERVER_RECORD_KINDS &&
					 record.part < REQUEST_PARTS &&
					 record.begin_ns <= record.end_ns));
		written.out.bytes[i] = byte;
	}
	pack_free(&written);
}
END_TEST

SUITE("server_times")
{
	TEST(work_is_cut_to_the_window);
	TEST(windows_add_up);
	TEST(work_without_a_request_takes_no_time);
	TEST_TIMES(a_record_comes_back, RECORDS);
}
