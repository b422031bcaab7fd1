/* SPDX-License-Identifier: MIT */
/* What tables keep for windows comes back as it was, with the numbers that it had;
 * what is not whole, or refers to what is not there, does not.
 */
#include "attribution/calls/system_call.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/wakers.h"
#include "common/kept_file.h"
#include "common/pack.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_pack.h"
#include "tables/processes/time_record.h"
#include "tables/sleeps/sleep_pack.h"
#include "tests/run_suite.h"
#include "tests/scratch_folder_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 20, KEY = 7 };

static const struct task reader = { .index = 3, .tid = 12, .pid = 11, .cpu = 1 };

static void check_task(const struct task *task, const struct task *wanted)
{
	ck_assert_int_eq(task->tid, wanted->tid);
	ck_assert_int_eq(task->pid, wanted->pid);
	ck_assert_int_eq(task->cpu, wanted->cpu);
}

static struct system_call read_call(struct pack *pack, struct task *task)
{
	struct system_call call = { 0 };

	call_pack(pack, &call, task, FUNCTIONS);
	return call;
}

static struct pack pack_call(void)
{
	struct pack pack = pack_to_write();
	struct task task;
	struct system_call call = {
		.task = &reader,
		.begin_ns = 100,
		.end_ns = 190,
		.function = FUNCTIONS - 1,
		.end = CALL_NO_RETURN,
		.has_exit = true,
		.result = -11,
		.class_ns = { [TIME_SYSTEM_CALL] = 60, [TIME_UNKNOWN] = 30 },
		.faults = 2,
		.fault_ns = 17,
	};

	call_pack(&pack, &call, &task, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	return pack;
}

START_TEST(a_call_comes_back)
{
	struct pack written = pack_call();
	struct pack pack = pack_to_read(written.out.bytes, written.out.size);
	struct task task = { 0 };
	const struct system_call call = read_call(&pack, &task);

	ck_assert(pack_is_whole(&pack));
	check_task(call.task, &reader);
	ck_assert_uint_eq(call.begin_ns, 100);
	ck_assert_uint_eq(call.end_ns, 190);
	ck_assert_uint_eq(call.function, FUNCTIONS - 1);
	ck_assert_uint_eq(call.end, CALL_NO_RETURN);
	ck_assert(call.has_exit);
	ck_assert_int_eq(call.result, -11);
	ck_assert_uint_eq(call.class_ns[TIME_SYSTEM_CALL], 60);
	ck_assert_uint_eq(call.class_ns[TIME_ASLEEP], 0);
	ck_assert_uint_eq(call.class_ns[TIME_UNKNOWN], 30);
	ck_assert_uint_eq(call.faults, 2);
	ck_assert_uint_eq(call.fault_ns, 17);
	pack_free(&written);
}
END_TEST

/* Any byte may be another. */
START_TEST(a_damaged_call_refers_to_nothing_else)
{
	struct pack written = pack_call();

	for (size_t i = 0; i < written.out.size; i++) {
		uint8_t byte = written.out.bytes[i];
		struct task task = { 0 };
		struct system_call call;
		struct pack pack;

		written.out.bytes[i] = (uint8_t)~byte;
		pack = pack_to_read(written.out.bytes, written.out.size);
		call = read_call(&pack, &task);
		ck_assert(pack.failed ||
			  (call.function < FUNCTIONS && call.end < CALL_ENDS));
		written.out.bytes[i] = byte;
		pack = pack_to_read(written.out.bytes, i);
		read_call(&pack, &task);
		ck_assert(pack.failed);
	}
	pack_free(&written);
}
END_TEST

static const struct sleep_numbers numbers = { FUNCTIONS, 5, 2 };

static struct sleep a_sleep(void)
{
	return (struct sleep){
		.task = &reader,
		.begin_ns = 100,
		.asleep_ns = 50,
		.runnable_ns = 7,
		.stack = 4,
		.user_stack = CALL_NODE_NONE,
		.label = 3,
		.inner = 9,
		.waker = 1,
		.fd = -1,
		.is_cut = true,
	};
}

START_TEST(a_sleep_comes_back)
{
	struct pack written = pack_to_write();
	struct sleep sleep = a_sleep();
	struct task task;
	struct pack pack;

	sleep_pack(&written, &sleep, &task, &numbers);
	pack = pack_to_read(written.out.bytes, written.out.size);
	sleep = (struct sleep){ 0 };
	sleep_pack(&pack, &sleep, &task, &numbers);
	ck_assert(pack_is_whole(&pack));
	check_task(sleep.task, &reader);
	ck_assert_uint_eq(sleep.begin_ns, 100);
	ck_assert_uint_eq(sleep.asleep_ns, 50);
	ck_assert_uint_eq(sleep.runnable_ns, 7);
	ck_assert_uint_eq(sleep.stack, 4);
	ck_assert_uint_eq(sleep.user_stack, CALL_NODE_NONE);
	ck_assert_uint_eq(sleep.label, 3);
	ck_assert_uint_eq(sleep.inner, 9);
	ck_assert_uint_eq(sleep.waker, 1);
	ck_assert_int_eq(sleep.fd, -1);
	ck_assert(sleep.is_cut);
	pack_free(&written);
}
END_TEST

/* Each refers to one more than there are. */
START_TEST(a_sleep_refers_to_what_is_there)
{
	struct sleep wrong[5];

	for (int i = 0; i < 5; i++)
		wrong[i] = a_sleep();
	wrong[0].stack = numbers.stacks;
	wrong[1].user_stack = numbers.stacks;
	wrong[2].label = FUNCTIONS;
	wrong[3].inner = FUNCTIONS;
	wrong[4].waker = numbers.wakers;
	for (int i = 0; i < 5; i++) {
		struct pack pack = pack_to_write();
		struct task task;

		sleep_pack(&pack, &wrong[i], &task, &numbers);
		ck_assert(pack.failed);
		pack_free(&pack);
	}
}
END_TEST

START_TEST(stacks_have_their_numbers)
{
	static const struct path_frame frames[] = {
		{ .function = 5, .how = HOW_SYSTEM_CALL },
		{ .function = 6, .how = HOW_EXCEPTION },
		{ .function = 7, .how = HOW_CALL },
	};
	struct sleep_stacks *stacks = sleep_stacks_new();
	struct sleep_stacks *other = sleep_stacks_new();
	uint32_t inner = sleep_stacks_kernel(stacks, frames, 3);
	uint32_t outer = sleep_stacks_kernel(stacks, frames + 2, 1);
	struct pack written = pack_to_write();
	struct pack pack;

	sleep_stacks_pack(stacks, &written, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	sleep_stacks_pack(other, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(call_tree_count(sleep_stacks_tree(other)), outer + 1);
	ck_assert_uint_eq(sleep_stacks_kernel(other, frames, 3), inner);
	ck_assert_uint_eq(sleep_stacks_kernel(other, frames + 2, 1), outer);
	pack = pack_to_read(written.out.bytes, written.out.size);
	sleep_stacks_free(other);
	other = sleep_stacks_new();
	sleep_stacks_pack(other, &pack, 7);
	ck_assert(pack.failed);
	pack_free(&written);
	sleep_stacks_free(stacks);
	sleep_stacks_free(other);
}
END_TEST

START_TEST(wakers_have_their_numbers)
{
	const struct waker interrupt = { WAKER_NONE, 4, 4, -1, -1 };
	struct wakers wakers = WAKERS_NONE;
	struct wakers other = WAKERS_NONE;
	struct waker writer = { 0, 5, FUNCTION_NONE, 11, 12 };
	struct pack written = pack_to_write();
	struct pack pack;

	writer.earlier = wakers_add(&wakers, &interrupt);
	ck_assert_uint_eq(wakers_add(&wakers, &writer), 1);
	wakers_pack(&wakers, &written, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	wakers_pack(&other, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(wakers_add(&other, &writer), 1);
	ck_assert(wakers_has(&other, 1, 12));
	wakers_free(&other);
	pack = pack_to_read(written.out.bytes, written.out.size);
	wakers_pack(&other, &pack, 5);
	ck_assert(pack.failed);
	pack_free(&written);
	wakers_free(&wakers);
	wakers_free(&other);
}
END_TEST

static const struct time_record time_records[] = {
	{ .kind = RECORD_SPAN,
	  .resolved = TIME_FAULT,
	  .span = { .task = &reader,
		    .begin_ns = 100,
		    .end_ns = 150,
		    .time_class = TIME_UNKNOWN,
		    .reason = UNKNOWN_OFF,
		    .is_provisional = true,
		    .cpu = 1,
		    .begin_error_ns = 9,
		    .end_error_ns = 11,
		    .is_behind_recorder = true } },
	{ .kind = RECORD_SWITCH,
	  .span = { .task = &reader,
		    .begin_ns = 150,
		    .end_ns = 150,
		    .cpu = 1 } },
};

/* Writes them to the file at @path. */
static void keep_times(const char *path)
{
	struct time_records records = TIME_RECORDS_NONE;

	records.writer = kept_file_writer_open(path, KEY);
	ck_assert_ptr_nonnull(records.writer);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(time_records_keep(&records, &time_records[i]),
				 0);
	time_records_pack_tasks(&records,
				kept_file_writer_rest(records.writer));
	kept_file_writer_finish(records.writer);
	kept_file_writer_close(records.writer);
	time_records_free(&records);
}

static void check_time(const struct time_record *record,
		       const struct time_record *wanted)
{
	ck_assert_uint_eq(record->kind, wanted->kind);
	ck_assert_uint_eq(record->resolved, wanted->resolved);
	ck_assert_uint_eq(record->span.begin_ns, wanted->span.begin_ns);
	ck_assert_uint_eq(record->span.end_ns, wanted->span.end_ns);
	ck_assert_uint_eq(record->span.time_class, wanted->span.time_class);
	ck_assert_uint_eq(record->span.reason, wanted->span.reason);
	ck_assert_uint_eq(record->span.is_provisional,
			  wanted->span.is_provisional);
	ck_assert_uint_eq(record->span.is_behind_recorder,
			  wanted->span.is_behind_recorder);
	ck_assert_uint_eq(record->span.begin_error_ns,
			  wanted->span.begin_error_ns);
	ck_assert_uint_eq(record->span.end_error_ns, wanted->span.end_error_ns);
	ck_assert_int_eq(record->span.cpu, wanted->span.cpu);
	check_task(record->span.task, &reader);
	ck_assert_uint_eq(record->span.task->index, reader.index);
}

START_TEST(times_come_back_with_their_tasks)
{
	const struct kept_span late = { 200, UINT64_MAX, 200, UINT64_MAX };
	const struct kept_span all = KEPT_SPAN_ALL;
	struct scratch_folder folder = scratch_folder_new();
	struct time_records records = TIME_RECORDS_NONE;
	struct time_record record;
	struct kept_file file;
	struct pack pack;
	char path[128];
	size_t size;
	void *bytes;

	scratch_folder_path(&folder, "report_threads", path, sizeof(path));
	keep_times(path);
	/* What they refer to is there for any window. */
	ck_assert(kept_file_open(&file, path, KEY, &late));
	ck_assert_uint_eq(file.chunks.count, 1);
	kept_file_close(&file);
	ck_assert(kept_file_open(&file, path, KEY, &all));
	ck_assert_uint_eq(file.chunks.count, 2);
	bytes = kept_file_read(&file, 1, &size);
	pack = pack_to_read(bytes, size);
	time_records_pack_tasks(&records, &pack);
	ck_assert(pack_is_whole(&pack));
	free(bytes);
	bytes = kept_file_read(&file, 0, &size);
	pack = pack_to_read(bytes, size);
	for (int i = 0; i < 2; i++) {
		time_records_read(&records, &pack, &record);
		ck_assert(!pack.failed);
		check_time(&record, &time_records[i]);
	}
	ck_assert(pack_is_whole(&pack));
	/* Without the tasks they are nobody's. */
	time_records_free(&records);
	pack = pack_to_read(bytes, size);
	time_records_read(&records, &pack, &record);
	ck_assert(pack.failed);
	free(bytes);
	kept_file_close(&file);
	scratch_folder_free(&folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table_records");
	TCase *tcase = tcase_create("table_records");

	tcase_add_test(tcase, a_call_comes_back);
	tcase_add_test(tcase, a_damaged_call_refers_to_nothing_else);
	tcase_add_test(tcase, a_sleep_comes_back);
	tcase_add_test(tcase, a_sleep_refers_to_what_is_there);
	tcase_add_test(tcase, stacks_have_their_numbers);
	tcase_add_test(tcase, wakers_have_their_numbers);
	tcase_add_test(tcase, times_come_back_with_their_tasks);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
