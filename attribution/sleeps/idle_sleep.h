/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_IDLE_SLEEP_H
#define KT_ATTRIBUTION_IDLE_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

struct call_tree;
struct function_table;
struct sleep;
struct task_names;

/* Returns whether process @pid is a kernel thread: kthreadd, which is process
 * 2, or a child of it (kernel/kthread.c).
 */
bool is_kernel_thread(const struct task_names *names, int32_t pid);

/* Returns whether in @sleep a kernel thread waits for something to do: the
 * thread's own function decided to wait, or which did was not seen.  @stacks:
 * see task_tracker_stacks().
 */
bool is_idle_sleep(const struct sleep *sleep, const struct call_tree *stacks,
		   const struct function_table *functions,
		   const struct task_names *names);

#endif
