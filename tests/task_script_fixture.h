/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_TASK_SCRIPT_FIXTURE_H
#define KT_TESTS_TASK_SCRIPT_FIXTURE_H

#include "tests/attribution_fixture.h"

#include <stdint.h>

/* This is what tasks do, and the sleeps and calls that task_tracker makes of
 * it: a line for each as it ends.
 */
struct task_story {
	const char *title;
	void (*play)(struct attribution_fixture *f);
	const char *expected;
};

/* Fails the test if it comes out in another way. */
void task_story_check(const struct task_story *story);

/* The task on @cpu enters a system call, and leaves it with @result. */
void enters_call(struct attribution_fixture *f, uint32_t cpu, const char *name);
void leaves_call(struct attribution_fixture *f, uint32_t cpu, int64_t result);

/* The task on @cpu waits in @label, and @next runs instead; it runs again and
 * leaves where it waited.
 */
void goes_to_sleep(struct attribution_fixture *f, uint32_t cpu,
		   const char *label, int32_t prev, int32_t next);
void comes_back(struct attribution_fixture *f, uint32_t cpu, int32_t tid);

/* @tid is woken by @function; by a timer's interrupt. */
void function_wakes(struct attribution_fixture *f, uint32_t cpu,
		    const char *function, int32_t tid);
void timer_wakes(struct attribution_fixture *f, uint32_t cpu, int32_t tid);

#endif
