/* SPDX-License-Identifier: MIT */
/* Waits for CPUs that a table caches for windows can be read back unchanged. */
#include "attribution/allowed_cpus.h"
#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "tables/waits/runqueue_records_internal.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/cached_record.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdlib.h>

/* Waits of 12 for CPU 1, on which 20 ran and 21 continues. */
struct cpu_story {
	struct cpu_runs runs;
	struct cpu_waits waits;
	struct runqueue_records records;
	struct allowed_cpus *allowed;
	uint64_t waited_ns[2];
	uint64_t recorder_ns;
	uint64_t affinity_ns;
	int count;
};

static int add_wait(void *ctx, const struct cpu_wait *wait)
{
	struct cpu_story *story = ctx;

	cached_record_check_task(wait->task, &cached_record_task);
	ck_assert_uint_eq(wait->task->index, cached_record_task.index);
	ck_assert_int_eq(wait->cpu, 1);
	ck_assert_int_lt(story->count, 2);
	story->waited_ns[story->count++] = wait->end_ns - wait->begin_ns;
	story->recorder_ns += wait->recorder_ns;
	for (size_t i = 0; i < wait->affinity.count; i++) {
		const struct time_window *part = array_at(&wait->affinity, i);

		story->affinity_ns += part->until_ns - part->since_ns;
	}
	if (story->records.writer)
		runqueue_records_keep_wait(&story->records, wait);
	return 0;
}

static void keep_run(void *ctx, uint32_t cpu, const struct cpu_run *run)
{
	const struct cpu_story *story = ctx;

	runqueue_records_keep_run(&story->records, cpu, run);
}

static void run_on_cpu(struct cpu_story *story, uint32_t cpu, int32_t tid,
		       uint64_t time_ns)
{
	const struct task task = { .tid = tid };
	const struct call_step step = { .kind = STEP_SWITCH,
					.time_ns = time_ns,
					.cpu = cpu,
					.task = &task };

	ck_assert_int_eq(cpu_runs_consume(&story->runs, &step), 0);
}

static void spend(struct cpu_story *story, enum time_class time_class,
		  uint64_t begin_ns, uint64_t end_ns, bool is_behind_recorder)
{
	const struct time_span span = {
		.task = &cached_record_task,
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

/* CPU 0, which 12 may not use, is idle from 170 on. */
static void keep_waits(const char *path)
{
	static const char list[] = "allowed 12 1\n";
	struct attribution_fixture *functions = attribution_fixture_new();
	struct cpu_story story = begin_story();

	story.allowed = allowed_cpus_new(
		NULL, attribution_fixture_functions(functions));
	ck_assert_ptr_nonnull(story.allowed);
	ck_assert_int_eq(allowed_cpus_read(story.allowed, list,
					   sizeof(list) - 1, false),
			 0);
	story.waits = cpu_waits_of(add_wait, &story);
	story.runs.ended = keep_run;
	story.runs.ctx = &story;
	story.records.writer = cache_file_writer_open(path, KEY);
	ck_assert_ptr_nonnull(story.records.writer);
	run_on_cpu(&story, 1, 20, 90);
	spend(&story, TIME_RUNNABLE, 100, 130, false);
	spend(&story, TIME_RUNNABLE, 130, 150, true);
	run_on_cpu(&story, 1, 12, 150);
	spend(&story, TIME_USER, 150, 160, false);
	run_on_cpu(&story, 1, 21, 160);
	run_on_cpu(&story, 0, 0, 170);
	spend(&story, TIME_RUNNABLE, 160, 180, false);
	runqueue_records_pack_last(
		&story.records, &story.runs, story.allowed, &story.waits,
		cache_file_writer_rest(story.records.writer));
	cache_file_writer_finish(story.records.writer);
	cache_file_writer_close(story.records.writer);
	allowed_cpus_free(story.allowed);
	attribution_fixture_free(functions);
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
	const struct cached_span all = CACHED_SPAN_ALL;
	struct scratch_folder folder = scratch_folder_new();
	struct cpu_story story = begin_story();
	uint64_t ran_ns[2] = { 0 };
	struct cache_file file;
	char path[128];

	scratch_folder_path(&folder, "report_runqueue", path, sizeof(path));
	keep_waits(path);
	ck_assert(cache_file_open(&file, path, KEY, &all));
	ck_assert_uint_eq(file.chunks.count, 2);
	for (size_t i = 2; i--;) {
		const struct cached_chunk *chunk = array_at(&file.chunks, i);
		size_t size;
		void *bytes = cache_file_read(&file, i, &size);
		struct pack pack = pack_to_read(bytes, size);

		if (!chunk->records)
			runqueue_records_pack_last(&story.records, &story.runs,
						   NULL, &story.waits, &pack);
		for (uint32_t j = 0; j < chunk->records; j++)
			runqueue_records_read(&story.records, &story.runs,
					      &pack);
		ck_assert(pack_is_whole(&pack));
		free(bytes);
	}
	ck_assert_int_eq(
		runqueue_records_emit(&story.records, add_wait, &story), 0);
	ck_assert_int_eq(story.count, 2);
	ck_assert_uint_eq(story.waited_ns[0], 50);
	ck_assert_uint_eq(story.waited_ns[1], 20);
	ck_assert_uint_eq(story.affinity_ns, 10);
	ck_assert_int_eq(
		cpu_runs_between(&story.runs, 1, 100, 180, add_run, ran_ns), 0);
	ck_assert_uint_eq(ran_ns[0], 50 + 10);
	ck_assert_uint_eq(ran_ns[1], 20);
	cache_file_close(&file);
	end_story(&story);
	scratch_folder_free(&folder);
}
END_TEST

/* The recorder's share of the wait is cut, too. */
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

SUITE("runqueue_records")
{
	TEST(waits_for_cpus_come_back);
	TEST(a_wait_for_a_cpu_is_cut);
}
