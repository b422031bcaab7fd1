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
			 TRACEPOINTS_LOCKS | TRACEPOINTS_OBJECTS |
			 TRACEPOINTS_IDLE },
	{ "idle", TRACEPOINTS_IDLE },
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

SUITE("tracepoint_set")
{
	TEST_EACH(lists_are_sets, lists);
}
