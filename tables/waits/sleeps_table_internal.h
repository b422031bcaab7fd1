/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_SLEEPS_TABLE_INTERNAL_H
#define KT_TABLES_WAITS_SLEEPS_TABLE_INTERNAL_H

#include <stdbool.h>

struct call_tree;
struct function_table;
struct sleep;
struct task_names;

/* Returns whether in @sleep a kernel thread waits for work, or for a timer of
 * its own: the thread's own function decided to wait, or the deciding function
 * is untraced; or the sleep has a timeout, after which the thread continues in
 * any case. @stacks: see task_tracker_stacks().
 */
bool is_idle_sleep(const struct sleep *sleep, const struct call_tree *stacks,
		   const struct function_table *functions,
		   const struct task_names *names);

#endif
