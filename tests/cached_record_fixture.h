/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_CACHED_RECORD_FIXTURE_H
#define KT_TESTS_CACHED_RECORD_FIXTURE_H

#include "report/steps/call_step.h"

/* The task and the id ranges that cached records refer to. */
enum { FUNCTIONS = 20, KEY = 7 };

extern const struct task cached_record_task;

/* Asserts that all cached fields of two tasks are equal. */
void cached_record_check_task(const struct task *task,
			      const struct task *wanted);

#endif
