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
#include "tables/locks/lock_pack.h"
#include "tables/locks/lock_waits.h"
#include "tables/processes/time_record.h"
#include "tables/profile/off_cpu_records.h"
#include "tables/runqueue/runqueue_records.h"
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

START_TEST(a_wait_for_a_lock_comes_back)
{
	struct pack written = pack_to_write();
	struct lock_wait wait = {
		.lock = { .address = 1234,
			  .device = 5,
			  .pid = -1,
			  .kind = LOCK_FILE },
		.function = FUNCTIONS - 1,
		.task = reader,
		.waker = 17,
		.others_at_begin = 2,
		.others_at_end = 1,
		.begin_ns = 100,
		.end_ns = 190,
	};
	struct pack pack;

	lock_pack(&written, &wait, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	wait = (struct lock_wait){ .begin_ns = 0 };
	lock_pack(&pack, &wait, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	check_task(&wait.task, &reader);
	ck_assert_str_eq(lock_name_text(&wait.lock).text, "00:05:1234");
	ck_assert_int_eq(wait.lock.pid, -1);
	ck_assert_uint_eq(wait.function, FUNCTIONS - 1);
	ck_assert_int_eq(wait.waker, 17);
	ck_assert_uint_eq(wait.others_at_begin, 2);
	ck_assert_uint_eq(wait.others_at_end, 1);
	ck_assert_uint_eq(wait.begin_ns, 100);
	ck_assert_uint_eq(wait.end_ns, 190);
	pack = pack_to_read(written.out.bytes, written.out.size);
	lock_pack(&pack, &wait, FUNCTIONS - 1);
	ck_assert(pack.failed);
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

/* Waits of 12 for CPU 1, on which 20 ran and 21 goes on. */
struct cpu_story {
	struct cpu_runs runs;
	struct cpu_waits waits;
	struct runqueue_records records;
	uint64_t waited_ns[2];
	uint64_t recorder_ns;
	int count;
};

static int add_wait(void *ctx, const struct cpu_wait *wait)
{
	struct cpu_story *story = ctx;

	check_task(wait->task, &reader);
	ck_assert_uint_eq(wait->task->index, reader.index);
	ck_assert_int_eq(wait->cpu, 1);
	ck_assert_int_lt(story->count, 2);
	story->waited_ns[story->count++] = wait->end_ns - wait->begin_ns;
	story->recorder_ns += wait->recorder_ns;
	if (story->records.writer)
		runqueue_records_keep_wait(&story->records, wait);
	return 0;
}

static void keep_run(void *ctx, uint32_t cpu, const struct cpu_run *run)
{
	const struct cpu_story *story = ctx;

	runqueue_records_keep_run(&story->records, cpu, run);
}

static void run_on_cpu(struct cpu_story *story, int32_t tid, uint64_t time_ns)
{
	const struct task task = { .tid = tid };
	const struct call_step step = {
		.kind = STEP_SWITCH, .time_ns = time_ns, .cpu = 1, .task = &task
	};

	ck_assert_int_eq(cpu_runs_take(&story->runs, &step), 0);
}

static void spend(struct cpu_story *story, enum time_class time_class,
		  uint64_t begin_ns, uint64_t end_ns, bool is_behind_recorder)
{
	const struct time_span span = {
		.task = &reader,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.time_class = (uint8_t)time_class,
		.cpu = 1,
		.is_behind_recorder = is_behind_recorder,
	};

	ck_assert_int_eq(cpu_waits_span(&story->waits, &span), 0);
}

static struct cpu_story begin_story(void)
{
	return (struct cpu_story){ .runs = CPU_RUNS_NONE,
				   .records = RUNQUEUE_RECORDS_NONE };
}

static void end_story(struct cpu_story *story)
{
	cpu_runs_free(&story->runs);
	cpu_waits_free(&story->waits);
	runqueue_records_free(&story->records);
}

static void keep_waits(const char *path)
{
	struct cpu_story story = begin_story();

	story.waits = cpu_waits_of(add_wait, &story);
	story.runs.ended = keep_run;
	story.runs.ctx = &story;
	story.records.writer = kept_file_writer_open(path, KEY);
	ck_assert_ptr_nonnull(story.records.writer);
	run_on_cpu(&story, 20, 90);
	spend(&story, TIME_RUNNABLE, 100, 130, false);
	spend(&story, TIME_RUNNABLE, 130, 150, true);
	run_on_cpu(&story, 12, 150);
	spend(&story, TIME_USER, 150, 160, false);
	run_on_cpu(&story, 21, 160);
	spend(&story, TIME_RUNNABLE, 160, 180, false);
	runqueue_records_pack_last(&story.records, &story.runs, &story.waits,
				   kept_file_writer_rest(story.records.writer));
	kept_file_writer_finish(story.records.writer);
	kept_file_writer_close(story.records.writer);
	end_story(&story);
}

static int add_run(void *ctx, int32_t tid, uint64_t ns)
{
	uint64_t *ran_ns = ctx;

	ran_ns[tid == 21] += ns;
	return 0;
}

START_TEST(waits_for_cpus_come_back)
{
	const struct kept_span all = KEPT_SPAN_ALL;
	struct scratch_folder folder = scratch_folder_new();
	struct cpu_story story = begin_story();
	uint64_t ran_ns[2] = { 0 };
	struct kept_file file;
	char path[128];

	scratch_folder_path(&folder, "report_runqueue", path, sizeof(path));
	keep_waits(path);
	ck_assert(kept_file_open(&file, path, KEY, &all));
	ck_assert_uint_eq(file.chunks.count, 2);
	for (size_t i = 2; i--;) {
		const struct kept_chunk *chunk = array_at(&file.chunks, i);
		size_t size;
		void *bytes = kept_file_read(&file, i, &size);
		struct pack pack = pack_to_read(bytes, size);

		if (!chunk->records)
			runqueue_records_pack_last(&story.records, &story.runs,
						   &story.waits, &pack);
		for (uint32_t j = 0; j < chunk->records; j++)
			runqueue_records_read(&story.records, &story.runs,
					      &pack);
		ck_assert(pack_is_whole(&pack));
		free(bytes);
	}
	ck_assert_int_eq(
		runqueue_records_hand_on(&story.records, add_wait, &story), 0);
	ck_assert_int_eq(story.count, 2);
	ck_assert_uint_eq(story.waited_ns[0], 50);
	ck_assert_uint_eq(story.waited_ns[1], 20);
	ck_assert_int_eq(
		cpu_runs_between(&story.runs, 1, 100, 180, add_run, ran_ns), 0);
	ck_assert_uint_eq(ran_ns[0], 50 + 10);
	ck_assert_uint_eq(ran_ns[1], 20);
	kept_file_close(&file);
	end_story(&story);
	scratch_folder_free(&folder);
}
END_TEST

/* Two sleeps at the end of one path, below which the second has another call. */
static void keep_naps(struct call_tree *calls, const char *path)
{
	struct off_cpu_records records;
	const struct time_span span = { .task = &reader,
					.begin_ns = 100,
					.end_ns = 150,
					.time_class = TIME_ASLEEP,
					.cpu = 1 };
	uint32_t node = call_tree_child(
		calls, call_tree_root(calls, reader.pid), 5, true);
	uint32_t inner = call_tree_child(calls, node, FUNCTIONS - 1, false);

	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	records.writer = kept_file_writer_open(path, KEY);
	ck_assert_ptr_nonnull(records.writer);
	ck_assert_int_eq(
		off_cpu_records_keep(&records, &reader, &span, calls, node), 0);
	ck_assert_int_eq(off_cpu_records_keep(&records, &reader, &span, calls,
					      inner),
			 0);
	off_cpu_records_pack_paths(
		&records, kept_file_writer_rest(records.writer), FUNCTIONS);
	kept_file_writer_finish(records.writer);
	kept_file_writer_close(records.writer);
	off_cpu_records_free(&records);
}

/* Reads one and asserts that its path is @node in @calls. */
static void expect_nap(const struct off_cpu_records *records, struct pack *pack,
		       struct call_tree *calls, uint32_t node)
{
	struct off_cpu_record record;

	off_cpu_records_read(records, pack, &record);
	ck_assert(!pack->failed);
	check_task(record.span.task, &reader);
	ck_assert_uint_eq(record.span.begin_ns, 100);
	ck_assert_uint_eq(record.span.end_ns, 150);
	ck_assert_uint_eq(record.span.time_class, TIME_ASLEEP);
	ck_assert_int_eq(record.span.cpu, 1);
	ck_assert_uint_eq(
		off_cpu_records_place(records, record.path, calls,
				      call_tree_root(calls, reader.pid)),
		node);
}

START_TEST(time_off_cpus_comes_back_with_its_stacks)
{
	const struct kept_span all = KEPT_SPAN_ALL;
	struct scratch_folder folder = scratch_folder_new();
	struct call_tree *calls = call_tree_new();
	struct off_cpu_records records;
	struct kept_file file;
	struct pack pack;
	char path[128];
	size_t size;
	void *bytes;

	scratch_folder_path(&folder, "report_off_cpu", path, sizeof(path));
	keep_naps(calls, path);
	ck_assert(kept_file_open(&file, path, KEY, &all));
	ck_assert_uint_eq(file.chunks.count, 2);
	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	bytes = kept_file_read(&file, 1, &size);
	pack = pack_to_read(bytes, size);
	off_cpu_records_pack_paths(&records, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	free(bytes);
	bytes = kept_file_read(&file, 0, &size);
	pack = pack_to_read(bytes, size);
	expect_nap(&records, &pack, calls, 1);
	expect_nap(&records, &pack, calls, 2);
	ck_assert(pack_is_whole(&pack));
	off_cpu_records_free(&records);
	/* Without the paths they are nowhere. */
	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	pack = pack_to_read(bytes, size);
	off_cpu_records_read(&records, &pack,
			     &(struct off_cpu_record){ .path = 0 });
	ck_assert(pack.failed);
	off_cpu_records_free(&records);
	free(bytes);
	kept_file_close(&file);
	call_tree_free(calls);
	scratch_folder_free(&folder);
}
END_TEST

/* What the recorder took of it is cut, too. */
START_TEST(a_wait_for_a_cpu_is_cut)
{
	struct time_window parts[] = { { 110, 130 }, { 140, 150 } };
	struct cpu_wait wait = {
		.begin_ns = 100,
		.end_ns = 150,
		.recorder = { parts, 2, 2, sizeof(*parts) },
	};

	ck_assert(cpu_wait_cut(&wait, (struct time_window){ 120, 145 }));
	ck_assert_uint_eq(wait.begin_ns, 120);
	ck_assert_uint_eq(wait.end_ns, 145);
	ck_assert_uint_eq(wait.recorder_ns, 10 + 5);
	ck_assert(!cpu_wait_cut(&wait, (struct time_window){ 150, 160 }));
}
END_TEST

/* A file says how deep its paths are. */
START_TEST(a_path_may_be_deep)
{
	enum { DEPTH = 1000000 };
	struct call_tree *calls = call_tree_new();
	struct off_cpu_records records;
	uint32_t node;

	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	node = records.root;
	for (int i = 0; i < DEPTH; i++)
		node = call_tree_find_child(records.paths, node, 1, false);
	node = off_cpu_records_place(&records, node, calls,
				     call_tree_root(calls, 11));
	ck_assert_uint_eq(call_tree_count(calls), DEPTH + 1);
	ck_assert_uint_eq(node, DEPTH);
	off_cpu_records_free(&records);
	call_tree_free(calls);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table_records");
	TCase *tcase = tcase_create("table_records");

	tcase_add_test(tcase, a_call_comes_back);
	tcase_add_test(tcase, a_damaged_call_refers_to_nothing_else);
	tcase_add_test(tcase, a_wait_for_a_lock_comes_back);
	tcase_add_test(tcase, waits_for_cpus_come_back);
	tcase_add_test(tcase, a_wait_for_a_cpu_is_cut);
	tcase_add_test(tcase, time_off_cpus_comes_back_with_its_stacks);
	tcase_add_test(tcase, a_sleep_comes_back);
	tcase_add_test(tcase, a_sleep_refers_to_what_is_there);
	tcase_add_test(tcase, stacks_have_their_numbers);
	tcase_add_test(tcase, wakers_have_their_numbers);
	tcase_add_test(tcase, times_come_back_with_their_tasks);
	tcase_add_test(tcase, a_path_may_be_deep);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
