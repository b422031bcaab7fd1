/* SPDX-License-Identifier: MIT */
#include "tests/cached_record_fixture.h"

#include <check.h>

const struct task cached_record_task = {
	.index = 3, .tid = 12, .pid = 11, .cpu = 1
};

void cached_record_check_task(const struct task *task,
			      const struct task *wanted)
{
	ck_assert_int_eq(task->tid, wanted->tid);
	ck_assert_int_eq(task->pid, wanted->pid);
	ck_assert_int_eq(task->cpu, wanted->cpu);
}
