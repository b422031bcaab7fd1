/* SPDX-License-Identifier: MIT */
#include "report/timeline/leaf_queue.h"

#include <stddef.h>

static struct waiting_step *at(struct leaf_queue *queue, uint32_t number)
{
	return &queue->steps[number % LEAF_QUEUE_STEPS];
}

static void write_first(struct leaf_queue *queue)
{
	const struct waiting_step *first = at(queue, queue->first++);

	queue->write(queue->ctx, &first->step,
		     first->is_leaf ? &first->exit : NULL);
}

/* Returns the open entry of @task, or NULL; there is at most one. */
static struct waiting_step *open_entry(struct leaf_queue *queue,
				       const struct task *task)
{
	for (uint32_t i = queue->end; i-- != queue->first;)
		if (at(queue, i)->is_open && at(queue, i)->step.task == task)
			return at(queue, i);
	return NULL;
}

static bool is_its_exit(const struct waiting_step *entry,
			const struct call_step *step)
{
	return step->kind == STEP_EXIT && step->depth == entry->step.depth &&
	       step->function == entry->step.function;
}

void leaf_queue_take(struct leaf_queue *queue, const struct call_step *step)
{
	struct waiting_step *entry = open_entry(queue, step->task);

	if (entry)
		entry->is_open = false;
	if (entry && is_its_exit(entry, step)) {
		entry->is_leaf = true;
		entry->exit = *step;
	} else {
		if (queue->end - queue->first == LEAF_QUEUE_STEPS)
			write_first(queue);
		*at(queue, queue->end++) = (struct waiting_step){
			.step = *step,
			.is_open = step->kind == STEP_ENTER,
		};
	}
	while (queue->first != queue->end && !at(queue, queue->first)->is_open)
		write_first(queue);
}

void leaf_queue_end(struct leaf_queue *queue)
{
	while (queue->first != queue->end)
		write_first(queue);
}
