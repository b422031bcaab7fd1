/* SPDX-License-Identifier: MIT */
#include "report/text/record_writer.h"
#include "tests/run_suite.h"

static const struct {
	const char *name;
	int width;
	const char *first;
	const char *second;
} heads[] = {
	{ "comm", 2, "", "comm" },
	{ "wall_ns", 2, "", "wall" },
	{ "self_ns_per_call", 40, "", "self per call" },
	{ "context_switches", 16, "", "context switches" },
	{ "context_switches", 15, "context", "switches" },
	{ "interrupt_work_elsewhere", 3, "interrupt", "work elsewhere" },
	{ "kernel_work_elsewhere", 3, "kernel work", "elsewhere" },
	{ "on_cpu_ns", 6, "", "on CPU" },
	{ "exact_percent", 3, "exact", "%" },
	{ "", 0, "", "" },
};

START_TEST(names_become_heads)
{
	struct record_head head =
		record_head_of(heads[_i].name, heads[_i].width);

	ck_assert_str_eq(head.lines[0], heads[_i].first);
	ck_assert_str_eq(head.lines[1], heads[_i].second);
}
END_TEST

static const struct {
	const char *name;
	const char *wanted;
	bool is_it;
} choices[] = {
	{ "total_ns", "total_ns", true },
	{ "total_ns", "total", true },
	{ "total_ns", "tot", false },
	{ "on_cpu_ns", "on CPU", true },
	{ "exact_percent", "exact_%", true },
	{ "total_ns", "", false },
	{ "ns", "", false },
};

START_TEST(columns_are_chosen_by_either)
{
	ck_assert_int_eq(record_head_is(choices[_i].name, choices[_i].wanted),
			 choices[_i].is_it);
}
END_TEST

SUITE("record_head")
{
	TEST_EACH(names_become_heads, heads);
	TEST_EACH(columns_are_chosen_by_either, choices);
}
