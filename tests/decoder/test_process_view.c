/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "decoder/code/process_maps.h"
#include "decoder/code/process_view.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <string.h>

/* Processes 1 and 3 have different code at the entry's address, process 2 has
 * code only elsewhere. All have the library.
 */
enum {
	CODE = 0x400000,
	ELSEWHERE = 0x800000,
	LIBRARY = 0xa00000,
	LATE = 0xc00000,
	CODE_SIZE = 4096,
};

/* More switches than the view reads ahead. */
enum { MANY = 2100, FIRST_NS = 1000, LAST_NS = FIRST_NS + MANY };

static struct recording_fixture fixture;
static struct recording *recording;
static struct process_maps *all_maps;
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
	for (int32_t pid = 1; pid <= 3; pid++)
		add_program(pid, "library", LIBRARY);
}

static void tear_down(void)
{
	process_view_free(view);
	process_maps_free(all_maps);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static void switch_to_thread(uint64_t time_ns, int32_t from, int32_t pid,
			     int32_t tid)
{
	const struct fixture_origin origin = { from, from, time_ns };
	const int32_t next[2] = { pid, tid };

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 PERF_RECORD_MISC_SWITCH_OUT, next,
				 sizeof(next), &origin);
}

static void switch_to(uint64_t time_ns, int32_t from, int32_t to)
{
	switch_to_thread(time_ns, from, to, to);
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
	recording = recording_fixture_open(&fixture);
	all_maps = process_maps_new(recording);
	ck_assert_ptr_nonnull(all_maps);
	view = process_view_new(recording, recording_stream(recording, 0),
				all_maps);
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

static const struct process_map *map_at(uint64_t address)
{
	const struct array *maps = process_view_maps(view);

	for (size_t i = maps->count; i-- > 0;) {
		const struct process_map *map = array_at(maps, i);

		if (address - map->address < map->size_bytes)
			return map;
	}
	return NULL;
}

static void enter_within_all(uint64_t ip)
{
	struct process_entry entry = entry_within_all();

	entry.ip = ip;
	ck_assert_int_eq(process_view_enter(view, &entry), 1);
}

START_TEST(code_of_each_possible_process_is_mapped)
{
	alternate(100, 2);
	open_view();
	enter_within_all(LIBRARY);
	ck_assert_int_eq(process_view_pid(view), -1);
	ck_assert_ptr_nonnull(map_at(LIBRARY));
	ck_assert_ptr_nonnull(map_at(CODE));
	ck_assert_ptr_nonnull(map_at(ELSEWHERE));
}
END_TEST

START_TEST(code_that_differs_between_possible_processes_is_not_mapped)
{
	alternate(100, 3);
	open_view();
	enter_within_all(LIBRARY);
	ck_assert_ptr_nonnull(map_at(LIBRARY));
	ck_assert_ptr_null(map_at(CODE));
	enter_within_all(CODE);
	ck_assert_ptr_null(map_at(CODE));
}
END_TEST

START_TEST(an_entry_proves_that_earlier_processes_have_left)
{
	switch_to(FIRST_NS, 1, 2);
	switch_to(FIRST_NS + 1, 2, 3);
	open_view();
	enter_within_all(CODE);
	ck_assert_int_eq(process_view_pid(view), -1);
	enter_within_all(ELSEWHERE);
	ck_assert_int_eq(process_view_pid(view), 2);
	enter_within_all(CODE);
	ck_assert_int_eq(process_view_pid(view), 3);
	ck_assert_ptr_nonnull(map_at(CODE));
}
END_TEST

/* Process 1 leaves in the same nanosecond: it cannot have run. */
START_TEST(the_last_of_two_switches_at_one_time_counts)
{
	switch_to(FIRST_NS, 2, 1);
	switch_to(FIRST_NS, 1, 3);
	open_view();
	enter_within_all(CODE);
	ck_assert_int_eq(process_view_pid(view), 3);
	ck_assert_int_eq(process_view_tid(view), 3);
	ck_assert_ptr_nonnull(map_at(CODE));
}
END_TEST

/* The first entry comes after one of two switches at one time; the second one
 * after the other, so process 3 runs, and not yet process 1.
 */
START_TEST(switches_at_one_time_cannot_be_counted)
{
	struct process_entry entry = {
		.low_ns = FIRST_NS - 5,
		.high_ns = FIRST_NS + 5,
		.ip = LIBRARY,
		.switches = 1,
	};

	switch_to(FIRST_NS, 1, 2);
	switch_to(FIRST_NS, 2, 3);
	switch_to(FIRST_NS + 100, 3, 1);
	open_view();
	ck_assert_int_eq(process_view_sync(view, FIRST_NS - 10, FIRST_NS - 10),
			 1);
	ck_assert_int_eq(process_view_enter(view, &entry), 1);
	ck_assert_int_eq(process_view_pid(view), 3);
	entry.low_ns = FIRST_NS + 10;
	entry.high_ns = FIRST_NS + 150;
	ck_assert_int_eq(process_view_enter(view, &entry), 1);
	ck_assert_int_ne(process_view_pid(view), 1);
}
END_TEST

/* The idle task, which has no code in user space, is between them. */
START_TEST(one_thread_is_known_if_only_it_has_code_at_the_address)
{
	switch_to(FIRST_NS, 1, 2);
	switch_to(FIRST_NS + 1, 2, 0);
	switch_to(FIRST_NS + 2, 0, 1);
	open_view();
	enter_within_all(CODE);
	ck_assert_int_eq(process_view_tid(view), 1);
	enter_within_all(ELSEWHERE);
	ck_assert_int_eq(process_view_tid(view), 2);
	enter_within_all(LIBRARY);
	ck_assert_int_eq(process_view_tid(view), -1);
}
END_TEST

START_TEST(one_of_two_threads_of_a_process_is_unknown)
{
	const struct process_entry after = {
		.low_ns = LAST_NS,
		.high_ns = LAST_NS + 1,
		.ip = CODE,
		.switches = -1,
	};

	switch_to_thread(FIRST_NS, 1, 1, 11);
	open_view();
	enter_within_all(CODE);
	ck_assert_int_eq(process_view_pid(view), 1);
	ck_assert_int_eq(process_view_tid(view), -1);
	ck_assert_int_eq(process_view_enter(view, &after), 1);
	ck_assert_int_eq(process_view_tid(view), 11);
}
END_TEST

START_TEST(a_switch_before_the_code_leaves_the_other_process)
{
	switch_to(FIRST_NS, 1, 3);
	open_view();
	enter_within_all(CODE);
	ck_assert_int_eq(process_view_pid(view), -1);
	ck_assert(!process_view_is_due(view, FIRST_NS - 1, LAST_NS));
	ck_assert(process_view_is_due(view, FIRST_NS, LAST_NS));
	ck_assert_int_eq(process_view_advance(view, FIRST_NS, LAST_NS), 0);
	ck_assert_int_eq(process_view_pid(view), 3);
	ck_assert_ptr_nonnull(map_at(CODE));
}
END_TEST

START_TEST(code_that_is_replaced_is_not_mapped_until_an_entry_decides)
{
	uint64_t old_file;

	recording_fixture_map_at(&fixture, 1, FIRST_NS, "/new", CODE, CODE_SIZE,
				 0);
	recording_fixture_map_at(&fixture, 1, FIRST_NS + 1, "/late", LATE,
				 CODE_SIZE, 0);
	switch_to(FIRST_NS + 2, 1, 2);
	open_view();
	ck_assert_int_eq(process_view_sync(view, 0, 0), 1);
	old_file = map_at(CODE)->file;
	enter_within_all(LIBRARY);
	ck_assert_ptr_null(map_at(CODE));
	ck_assert_ptr_nonnull(map_at(LATE));
	enter_within_all(LATE);
	ck_assert_int_eq(process_view_pid(view), 1);
	ck_assert_ptr_nonnull(map_at(CODE));
	ck_assert_uint_ne(map_at(CODE)->file, old_file);
}
END_TEST

/* With the previous entry's page table, the program is the one before exec. */
START_TEST(the_page_table_decides_between_programs)
{
	struct process_entry entry = {
		.low_ns = 1, .high_ns = 1, .ip = CODE, .switches = -1
	};
	uint64_t old_file;

	recording_fixture_exec(&fixture, 1, FIRST_NS);
	recording_fixture_map_at(&fixture, 1, FIRST_NS, "/new", CODE, CODE_SIZE,
				 0);
	switch_to(LAST_NS + 1, 1, 2);
	open_view();
	ck_assert_int_eq(process_view_enter(view, &entry), 1);
	old_file = map_at(CODE)->file;
	enter_within_all(CODE);
	ck_assert_ptr_null(map_at(CODE));
	ck_assert_int_eq(process_view_sync(view, 1, 1), 1);
	entry = entry_within_all();
	entry.is_same_table = _i;
	entry.is_other_table = !_i;
	entry.switches = 0;
	ck_assert_int_eq(process_view_enter(view, &entry), 1);
	ck_assert_ptr_nonnull(map_at(CODE));
	ck_assert_int_eq(map_at(CODE)->file == old_file, _i);
}
END_TEST

SUITE("process_view")
{
	FIXTURE(set_up, tear_down);
	TEST(the_only_process_with_code_at_the_address_runs);
	TEST_RANGE(a_process_after_the_limit_may_be_the_one_that_runs, 1, 3);
	TEST(the_page_table_decides_before_the_limit);
	TEST(code_of_each_possible_process_is_mapped);
	TEST(code_that_differs_between_possible_processes_is_not_mapped);
	TEST(an_entry_proves_that_earlier_processes_have_left);
	TEST(the_last_of_two_switches_at_one_time_counts);
	TEST(switches_at_one_time_cannot_be_counted);
	TEST(one_thread_is_known_if_only_it_has_code_at_the_address);
	TEST(one_of_two_threads_of_a_process_is_unknown);
	TEST(a_switch_before_the_code_leaves_the_other_process);
	TEST(code_that_is_replaced_is_not_mapped_until_an_entry_decides);
	TEST_TIMES(the_page_table_decides_between_programs, 2);
}
