/* SPDX-License-Identifier: MIT */
/* The first rule of a list that fits a name is found. */
#include "common/maps.h"
#include "tests/run_suite.h"

#include <string.h>

static const struct name_rule list[] = {
	{ "perf_trace_", true, 1 }, { "perf_", true, 2 },
	{ "perf_event", false, 3 }, { "rcu", false, 4 },
	{ "__x", true, 0 },	    { "schedule", false, 5 },
};

static const struct {
	const char *name;
	int value; /* -1: no rule */
} cases[] = {
	{ "perf_trace_sched", 1 },
	{ "perf_event", 2 },
	{ "perf", -1 },
	{ "rcu", 4 },
	{ "rcu_core", -1 },
	{ "__x64_sys_read", 0 },
	{ "__", -1 },
	{ "", -1 },
	{ "s", -1 },
	{ "schedule", 5 },
	{ "schedul", -1 },
	{ "schedule_idle", -1 },
};

START_TEST(the_first_that_fits_is_found)
{
	const struct name_lookup rules =
		name_lookup_of(list, sizeof(list) / sizeof(*list));
	const struct name_rule *rule = name_lookup_find(&rules, cases[_i].name);

	ck_assert_int_eq(rule ? rule->value : -1, cases[_i].value);
}
END_TEST

SUITE("name_lookup")
{
	TEST_EACH(the_first_that_fits_is_found, cases);
}
