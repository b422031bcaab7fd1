/* SPDX-License-Identifier: MIT */
#include "symbolize/events/graph_task.h"

#include "common/error.h"
#include "symbolize/functions/function_table.h"

struct graph_frame *graph_task_top(const struct graph_task *task)
{
	return task->frames.count ?
		       array_at(&task->frames, task->frames.count - 1) :
		       NULL;
}

int graph_task_push(struct graph_task *task, enum graph_frame_kind kind,
		    uint32_t function, int32_t depth)
{
	return array_append(&task->frames, &(struct graph_frame){
						   .function = function,
						   .depth = depth,
						   .kind = (uint8_t)kind,
					   });
}

void graph_task_pop(struct graph_task *task)
{
	task->frames.count--;
}

bool graph_task_is_in(const struct graph_task *task, enum graph_frame_kind kind)
{
	const struct graph_frame *top = graph_task_top(task);

	return top && top->kind == kind;
}

uint32_t graph_task_running(const struct graph_task *task)
{
	for (size_t i = task->frames.count; i-- > 0;) {
		const struct graph_frame *frame = array_at(&task->frames, i);

		if (frame->kind != GRAPH_UNSEEN)
			return frame->function;
	}
	return FUNCTION_UNKNOWN;
}

/* Returns whether the tracer counts @frame in its depths. */
static bool is_counted(const struct graph_frame *frame)
{
	return frame->kind == GRAPH_FUNCTION || frame->kind == GRAPH_UNSEEN;
}

/* Returns whether @frame must have ended when a function at @depth starts or
 * ends: it is at that depth or deeper, or is inferred and calls deeper ones.
 */
static bool is_over(const struct graph_frame *frame, int32_t depth)
{
	return is_counted(frame) ? frame->depth >= depth : frame->depth > depth;
}

int graph_task_fit(struct graph_task *task, int32_t depth)
{
	const struct graph_frame *top = graph_task_top(task);
	int32_t next = 0;
	int has_changed = 0;

	while (top && is_over(top, depth)) {
		has_changed = 1;
		graph_task_pop(task);
		top = graph_task_top(task);
	}
	if (top)
		next = top->depth + is_counted(top);
	for (; next < depth; next++) {
		if (graph_task_push(task, GRAPH_UNSEEN, FUNCTION_UNKNOWN, next))
			return -ERROR_MEMORY;
		has_changed = 1;
	}
	return has_changed;
}
