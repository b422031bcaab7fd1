/* SPDX-License-Identifier: MIT */
#include "tables/sleeps/idle_sleep.h"

#include "attribution/sleeps/sleeps.h"
#include "report/profile/call_tree.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

/* Returns whether @name is a function that calls a kernel thread's own
 * function.
 */
static bool is_start(const char *name)
{
	static const char *const starts[] = {
		"kthread",
		"ret_from_fork",
		"ret_from_fork_asm",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strcmp(name, starts[i]))
			return true;
	return false;
}

/* Returns whether @name sleeps with a timeout (kernel/time/sleep_timeout.c,
 * timer.c before 6.13): its caller continues even if nothing wakes it.
 */
static bool is_timed(const char *name)
{
	return !strncmp(name, "schedule_timeout", 16) ||
	       !strncmp(name, "schedule_hrtimeout", 18);
}

bool is_idle_sleep(const struct sleep *sleep, const struct call_tree *stacks,
		   const struct function_table *functions,
		   const struct task_names *names)
{
	uint32_t own = FUNCTION_NONE;

	if (!task_names_is_of_kernel(names, sleep->task->pid))
		return false;
	if (sleep->label == FUNCTION_UNKNOWN || sleep->stack == CALL_NODE_NONE)
		return true;
	if (sleep->inner != FUNCTION_UNKNOWN &&
	    is_timed(function_at(functions, sleep->inner)->base))
		return true;
	for (uint32_t at = sleep->stack;;) {
		const struct call_node *node = call_tree_at(stacks, at);

		if (node->parent == CALL_NODE_NONE)
			break;
		if (!is_start(function_at(functions, node->function)->base))
			own = node->function;
		at = node->parent;
	}
	return own == sleep->label;
}
