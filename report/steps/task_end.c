/* SPDX-License-Identifier: MIT */
#include "report/steps/task_end.h"

#include "report/steps/call_stack.h"
#include "symbolize/functions/function_table.h"

struct task_end task_end_of(const struct function_table *functions)
{
	return (struct task_end){
		.dead = function_table_kernel(functions, "do_task_dead"),
		.untraced = function_table_kernel(functions,
						  "perf_event_exit_task"),
		.schedule = function_table_kernel(functions, "__schedule"),
	};
}

bool task_end_is_in(const struct task_end *end, const struct call_stack *stack)
{
	bool is_untraced = false;

	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t function = stack->frames[i].function;

		if (function == FUNCTION_NONE)
			continue;
		if (function == end->dead)
			return true;
		if (function == end->untraced)
			is_untraced = true;
		else if (function == end->schedule)
			is_untraced = false;
	}
	return is_untraced;
}
