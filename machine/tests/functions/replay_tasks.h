/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_REPLAY_TASKS_H
#define KT_MACHINE_TESTS_REPLAY_TASKS_H

#include "machine/tests/functions/replay.h"

/* Kernel stacks are aligned to their size. */
#define STACK_SIZE 0x4000ULL

/* Returns the index in replay->tasks of the living task whose stack contains
 * @sp; adds one of unknown pid if there is none.
 */
size_t replay_task_of_stack(struct replay *replay, uint64_t sp);

/* Returns the index of the task @pid, whose stack contains @sp. */
size_t replay_task_of_pid(struct replay *replay, int64_t pid, uint64_t sp);

#endif
