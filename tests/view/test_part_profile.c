/* SPDX-License-Identifier: MIT */
/* The page's profile by parts of time: each thread has its time in each part,
 * in recordings of CPUs and in those of chosen threads, whose streams have no
 * CPU.
 */
#include "tests/fixtures/view.h"
#include "tests/run_suite.h"
#include "view/data/call_sums.h"
#include "view/make/part_profile_internal.h"

#include "common/array.h"

enum { PART_NS = 1000, PARTS = 4, THREADS = 2, BEGIN_NS = 1000000 };

static struct view_fixture fixture;
static struct view_summary *summary;

static void set_up(void)
{
	char path[128];

	view_fixture_begin(&fixture);
	scratch_folder_path(&fixture.folder, "parts", path, sizeof(path));
	summary = view_summary_new(path, NULL);
	ck_assert_ptr_nonnull(summary);
	summary->first_ns = BEGIN_NS;
	summary->last_ns = BEGIN_NS + PARTS * PART_NS;
}

static void tear_down(void)
{
	view_summary_free(summary);
	view_fixture_end(&fixture);
}

/* Returns the time of thread @number in cell @index, in all functions. */
static uint64_t time_of(uint32_t number, size_t index)
{
	const struct call_span *cell = call_sums_span(summary->calls, 0, index);
	const struct call_frame *frame = call_span_frame(cell, number);
	struct array sums;
	uint64_t self_ns = 0;

	if (!frame)
		return 0;
	ck_assert_int_eq(call_sums_read(summary->calls, frame, &sums), 0);
	for (size_t i = 0; i < sums.count; i++)
		self_ns += ((struct call_sum *)array_at(&sums, i))->self_ns;
	array_free(&sums);
	return self_ns;
}

static const struct {
	const char *name;
	uint32_t cpus[THREADS];
} recordings[] = {
	{ "two CPUs", { 0, 1 } },
	{ "two chosen threads", { UINT32_MAX, UINT32_MAX } },
};

/* Both threads enter a function at the start and return at the end, traced all
 * the time.
 */
START_TEST(threads_that_run_at_the_same_time_have_all_parts)
{
	static const struct task tasks[THREADS] = { { .tid = 7 },
						    { .tid = 8 } };
	static const uint8_t kinds[] = { STEP_STATE, STEP_ENTER, STEP_EXIT };
	struct part_profile *profile = part_profile_new(
		summary, PART_NS, fixture.names, fixture.kinds, "");

	ck_assert_ptr_nonnull(profile);
	for (size_t kind = 0; kind < 3; kind++)
		for (uint32_t i = 0; i < THREADS; i++) {
			uint64_t clock_ns =
				kinds[kind] == STEP_EXIT ? PARTS * PART_NS : 0;
			const struct call_step step = {
				.kind = kinds[kind],
				.detail = CPU_TRACED,
				.cpu = recordings[_i].cpus[i],
				.function = fixture.function,
				.task = &tasks[i],
				.time_ns = BEGIN_NS + clock_ns,
				.clock_ns = clock_ns,
			};

			part_profile_step(profile, &step, i);
		}
	ck_assert_int_eq(part_profile_end(profile), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		for (size_t part = 0; part < PARTS; part++)
			ck_assert_msg(time_of(i, part) == PART_NS,
				      "%s: thread %u, part %zu",
				      recordings[_i].name, i, part);
	part_profile_free(profile);
}
END_TEST

SUITE("part_profile")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(threads_that_run_at_the_same_time_have_all_parts, recordings);
}
