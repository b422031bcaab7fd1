/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "decoder/code/process_view.h"
#include "decoder/recording/recording.h"
#include "decoder/recording_open.h"
#include "tests/recording_fixture.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

/* Processes 1 and 3 have different code at the entry's address, process 2 has
 * code only elsewhere.
 */
enum { CODE = 0x400000, ELSEWHERE = 0x800000, CODE_SIZE = 4096 };

/* More switches than the view reads ahead. */
enum { MANY = 2100, FIRST_NS = 1000, LAST_NS = FIRST_NS + MANY };

static struct recording_fixture fixture;
static struct recording *recording;
static struct process_view *view;

static void add_program(int32_t pid, const char *name, uint64_t address)
{
	static const uint8_t bytes[CODE_SIZE] = { 0xc3 };

	recording_fixture_program(&fixture, pid, name, address, bytes,
				  sizeof(bytes));
}

static void set_up(void)
{
	recording_fixture_begin(&fixture);
	add_program(1, "one", CODE);
	add_program(2, "two", ELSEWHERE);
	add_program(3, "three", CODE);
}

static void tear_down(void)
{
	process_view_free(view);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static void switch_to(uint64_t time_ns, int32_t from, int32_t to)
{
	const struct fixture_origin origin = { from, from, time_ns };
	const int32_t next[2] = { to, to };

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 PERF_RECORD_MISC_SWITCH_OUT, next,
				 sizeof(next), &origin);
}

/* Adds @count switches, first from process 1 to @other, then back, and so on. */
static void alternate(size_t count, int32_t other)
{
	for (size_t i = 0; i < count; i++)
		switch_to(FIRST_NS + i, i % 2 ? other : 1, i % 2 ? 1 : other);
}

static void open_view(void)
{
	static const uint8_t trace[16];

	recording_fixture_trace(&fixture, 0, trace, sizeof(trace));
	recording_fixture_write(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	view = process_view_new(recording, recording_stream(recording, 0));
	ck_assert_ptr_nonnull(view);
	process_view_order_by_trace(view);
}

/* An entry whose bounds contain all switches. */
static struct process_entry entry_within_all(void)
{
	return (struct process_entry){
		.low_ns = FIRST_NS - 1,
		.high_ns = LAST_NS,
		.ip = CODE,
		.switches = -1,
	};
}

START_TEST(the_only_process_with_code_at_the_address_runs)
{
	const struct process_entry entry = entry_within_all();

	alternate(100, 2);
	open_view();
	ck_assert_int_eq(process_view_enter(view, &entry), 1);
	ck_assert_int_eq(process_view_pid(view), 1);
}
END_TEST

/* Process @_i comes and goes before process 3, which the view does not read. */
START_TEST(a_process_after_the_limit_may_be_the_one_that_runs)
{
	const struct process_entry entry = entry_within_all();

	alternate(MANY, _i);
	switch_to(LAST_NS, 1, 3);
	open_view();
	ck_assert_int_eq(process_view_enter(view, &entry), 0);
	ck_assert_int_eq(process_view_pid(view), -1);
	ck_assert_uint_eq(process_view_maps(view)->count, 0);
}
END_TEST

START_TEST(the_page_table_decides_before_the_limit)
{
	struct process_entry entry = entry_within_all();

	entry.is_same_table = true;
	alternate(MANY, 2);
	switch_to(LAST_NS, 1, 3);
	open_view();
	ck_assert_int_eq(process_view_enter(view, &entry), 1);
	ck_assert_int_eq(process_view_pid(view), 1);
}
END_TEST

static Suite *process_view_suite(void)
{
	Suite *suite = suite_create("process_view");
	TCase *tcase = tcase_create("entry");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, the_only_process_with_code_at_the_address_runs);
	tcase_add_loop_test(tcase,
			    a_process_after_the_limit_may_be_the_one_that_runs,
			    1, 3);
	tcase_add_test(tcase, the_page_table_decides_before_the_limit);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(process_view_suite());
}
