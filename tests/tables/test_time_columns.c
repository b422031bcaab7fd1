/* SPDX-License-Identifier: MIT */
#include "tables/processes/processes_table_internal.h"
#include "tables/text/recorded.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

#define MORE \
	"Not recorded: beneficiaries of interrupts and kernel threads: the " \
	"recording has no timer:hrtimer_expire_entry (record " \
	"--events=attribution).\n"
/* The text below the table, by the facts of the recording. */
static const struct {
	bool has_switches;
	bool has_wakeups;
	bool is_followed;
	bool lacks_kernel;
	const char *text;
} levels[] = {
	{ false, false, false, false,
	  "Not recorded: runnable_ns, throttled_ns, recorder_wait, asleep_ns, "
	  "beneficiaries of interrupts and kernel threads: the recording has "
	  "no sched:sched_switch, sched:sched_waking, "
	  "timer:hrtimer_expire_entry (record --events=attribution).\n" },
	/* The default of record. */
	{ true, true, false, false, MORE },
	{ true, true, true, false, "" },
	/* perf record -e intel_pt//u */
	{ true, true, true, true,
	  "Not recorded: system_call_ns, fault_ns, reclaim_ns, kernel_ns, "
	  "interrupt_stolen_ns, tracer_ns, system_calls, faults: the kernel "
	  "was not traced (perf record -e intel_pt//k, or ktrace-hw "
	  "record).\n" },
};

START_TEST(the_default_misses_nothing)
{
	const struct time_columns columns = {
		.evidence = {
			.has_switches = levels[_i].has_switches,
			.has_wakeups = levels[_i].has_wakeups,
			.has_all_cpus = true,
		},
		.is_followed = levels[_i].is_followed,
		.lacks_kernel = levels[_i].lacks_kernel,
	};
	struct recorded recorded = {
		.recorder = RECORDER_OURS,
		.has_functions = true,
		.has_kernel = !levels[_i].lacks_kernel,
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (levels[_i].has_wakeups)
		recorded.events |= UINT64_C(1) << EVENT_SCHED_WAKING;
	time_columns_explain(&columns, &recorded, out);
	fclose(out);
	ck_assert_str_eq(text, levels[_i].text);
	free(text);
}
END_TEST

SUITE("time_columns")
{
	TEST_EACH(the_default_misses_nothing, levels);
}
