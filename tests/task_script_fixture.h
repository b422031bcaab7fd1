/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_TASK_SCRIPT_FIXTURE_H
#define KT_TESTS_TASK_SCRIPT_FIXTURE_H

#include "tests/attribution_fixture.h"

#include <stdint.h>

/* Events of tasks, and the sleeps and calls that task_tracker must make of
 * them: one a line, in the order they end.
 */
struct task_story {
	const char *title;
	void (*play)(struct attribution_fixture *f);
	const char *expected;
};

/* Fails the test if the sleeps and calls differ. */
void task_story_check(const struct task_story *story);

/* The task on @cpu enters a system call, and leaves it with @result. */
void enters_call(struct attribution_fixture *f, uint32_t cpu, const char *name);
void leaves_call(struct attribution_fixture *f, uint32_t cpu, int64_t result);

/* The task on @cpu waits in @label, and @next runs instead; the task runs again
 * and leaves @label.
 */
void goes_to_sleep(struct attribution_fixture *f, uint32_t cpu,
		   const char *label, int32_t prev, int32_t next);
void comes_back(struct attribution_fixture *f, uint32_t cpu, int32_t tid);

/* @function wakes @tid; a timer interrupt wakes @tid. */
void function_wakes(struct attribution_fixture *f, uint32_t cpu,
		    const char *function, int32_t tid);
void timer_wakes(struct attribution_fixture *f, uint32_t cpu, int32_t tid);

#endif
