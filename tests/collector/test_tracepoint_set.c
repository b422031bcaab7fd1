/* SPDX-License-Identifier: MIT */
#include "collector/events/tracefs.h"
#include "tests/run_suite.h"

static const struct {
	const char *list;
	int set;
} lists[] = {
	{ "none", 0 },
	{ "sched", TRACEPOINTS_SCHED },
	{ "switches", TRACEPOINTS_SCHED | TRACEPOINTS_SWITCH },
	{ "attribution", TRACEPOINTS_SCHED | TRACEPOINTS_OBJECTS },
	{ "attribution,syscalls",
	  TRACEPOINTS_SCHED | TRACEPOINTS_OBJECTS | TRACEPOINTS_SYSCALLS },
	{ "none,faults", TRACEPOINTS_FAULTS },
	{ "locks", TRACEPOINTS_SCHED | TRACEPOINTS_LOCKS },
	{ "all", TRACEPOINTS_SCHED | TRACEPOINTS_SWITCH | TRACEPOINTS_IRQ |
			 TRACEPOINTS_SYSCALLS | TRACEPOINTS_FAULTS |
			 TRACEPOINTS_LOCKS | TRACEPOINTS_OBJECTS },
	{ "", -1 },
	{ "sched,", -1 },
	{ ",sched", -1 },
	{ "schedule", -1 },
	{ "sche", -1 },
	{ "sched;irq", -1 },
};

START_TEST(lists_are_sets)
{
	ck_assert_int_eq(tracepoint_set_parse(lists[_i].list), lists[_i].set);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracepoint_set");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, lists_are_sets, 0,
			    sizeof(lists) / sizeof(*lists));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
