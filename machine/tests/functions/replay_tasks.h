/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_REPLAY_TASKS_H
#define KT_MACHINE_TESTS_REPLAY_TASKS_H

#include "machine/tests/functions/replay.h"

/* Kernel stacks are as large as their alignment. */
#define STACK_SIZE 0x4000ULL

/* The living task on the stack that @sp points into; a new one of unknown pid
 * if there is none.  Indices into replay->tasks.
 */
size_t replay_task_of_stack(struct replay *replay, uint64_t sp);

/* That of @pid, of which @sp is the stack. */
size_t replay_task_of_pid(struct replay *replay, int64_t pid, uint64_t sp);

#endif
