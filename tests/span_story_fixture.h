/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_SPAN_STORY_FIXTURE_H
#define KT_TESTS_SPAN_STORY_FIXTURE_H

#include "attribution/time/time_span.h"
#include "report/steps/call_step.h"
#include "report/steps/task_stacks.h"

#include <stdint.h>

struct attribution_fixture;

/* Events, and the spans that task_time must make of them, one a line: "tid
 * class begin-end", where a question mark marks a provisional span,
 * "(recorder)" that the recorder had the CPU, " by tid" the waker, and "~ns"
 * after a time its inexactness.
 */
struct span_story {
	const char *title;
	void (*play)(struct attribution_fixture *f);
	const char *spans;
	struct off_cpu_evidence evidence;
	struct time_window window;
	int32_t recorder_tid; /* 0: none */
};

/* All events of all CPUs, for the whole time. */
#define SEES_ALL \
	{ \
		.has_switches = true, .has_wakeups = true, \
		.has_all_cpus = true \
	}
#define WHOLE .window = { 0, UINT64_MAX }

/* Runs a suite @name with one test for each story, which fails if the spans
 * differ. Returns main()'s exit code.
 */
int span_story_run(const char *name, const struct span_story *stories,
		   int count);

/* Thread @tid is woken on @cpu. */
void wakes(struct attribution_fixture *f, uint32_t cpu, int32_t tid);

/* The thread on @cpu is switched out in @prev_state for @next. */
void schedules(struct attribution_fixture *f, uint32_t cpu, int32_t prev,
	       int64_t prev_state, int32_t next);

#endif
