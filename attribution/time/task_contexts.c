/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_contexts.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "symbolize/functions/context_kinds.h"

#include <stdbool.h>
#include <stdlib.h>

struct task_contexts {
	const struct context_kinds *kinds;
	struct array
		tasks; /* struct array of struct open_context, by task index */
	uint64_t last_serial;
};

struct task_contexts *task_contexts_new(const struct context_kinds *kinds)
{
	struct task_contexts *contexts = calloc(1, sizeof(*contexts));

	if (!contexts)
		return NULL;
	contexts->kinds = kinds;
	contexts->tasks = ARRAY_OF(struct array);
	return contexts;
}

void task_contexts_clear(struct task_contexts *contexts)
{
	struct array *tasks = contexts->tasks.items;

	for (size_t i = 0; i < contexts->tasks.count; i++)
		tasks[i].count = 0;
	contexts->last_serial = 0;
}

void task_contexts_free(struct task_contexts *contexts)
{
	if (!contexts)
		return;
	for (size_t i = 0; i < contexts->tasks.count; i++)
		array_free(array_at(&contexts->tasks, i));
	array_free(&contexts->tasks);
	free(contexts);
}

static struct array *open_of(struct task_contexts *contexts, uint32_t index)
{
	return array_reach_like(&contexts->tasks, index,
				&ARRAY_OF(struct open_context));
}

static int change_by_entry(const struct task_contexts *contexts,
			   const struct open_context *top,
			   const struct call_step *step)
{
	enum context_kind kind =
		context_kind_of(contexts->kinds, step->function);

	if (kind == CONTEXT_NONE)
		return 0;
	return !top || top->kind != kind || step->how == HOW_EXCEPTION;
}

static int change_by_exit(const struct open_context *top,
			  const struct call_step *step)
{
	bool goes_on = step->detail;

	return top && top->depth >= step->depth && !goes_on ? -1 : 0;
}

int task_contexts_change(const struct task_contexts *contexts,
			 const struct call_step *step)
{
	const struct open_context *top =
		task_contexts_top(contexts, step->task->index);

	if (step->kind == STEP_ENTER)
		return change_by_entry(contexts, top, step);
	return step->kind == STEP_EXIT ? change_by_exit(top, step) : 0;
}

/* Adds a context, or replaces the innermost one if that ended by a jump to the
 * new one.
 */
static struct open_context *add_work(struct array *open, uint32_t depth)
{
	struct open_context *top =
		open->count ? array_at(open, open->count - 1) : NULL;

	return top && top->depth >= depth ? top : array_add(open);
}

static int begin(struct task_contexts *contexts, struct array *open,
		 const struct call_step *step)
{
	struct open_context *begun = add_work(open, step->depth);

	if (!begun)
		return -ERROR_MEMORY;
	*begun = (struct open_context){
		.kind = (uint8_t)context_kind_of(contexts->kinds,
						 step->function),
		.unseen = step->unseen,
		.function = step->function,
		.depth = step->depth,
		.begin_ns = step->time_ns,
		.serial = ++contexts->last_serial,
	};
	return 1;
}

int task_contexts_consume(struct task_contexts *contexts,
			  const struct call_step *step)
{
	int change = task_contexts_change(contexts, step);
	struct array *open;

	if (!change)
		return 0;
	open = open_of(contexts, step->task->index);
	if (!open)
		return -ERROR_MEMORY;
	if (change > 0)
		return begin(contexts, open, step);
	open->count--;
	return 1;
}

const struct open_context *
task_contexts_open(const struct task_contexts *contexts, uint32_t index,
		   size_t *count)
{
	const struct array *stacks = contexts->tasks.items;

	*count = 0;
	if (index >= contexts->tasks.count)
		return NULL;
	*count = stacks[index].count;
	return stacks[index].items;
}

const struct open_context *
task_contexts_top(const struct task_contexts *contexts, uint32_t index)
{
	size_t count;
	const struct open_context *open =
		task_contexts_open(contexts, index, &count);

	return count ? &open[count - 1] : NULL;
}

static void pack_context(struct open_context *context, struct pack *pack,
			 uint32_t functions)
{
	pack_small(pack, &context->kind, CONTEXT_KINDS - 1);
	pack_small(pack, &context->unseen,
		   UNSEEN_BEGIN | UNSEEN_END | UNSEEN_INSIDE);
	pack_u32(pack, &context->function);
	pack_check(pack, context->function < functions);
	pack_u32(pack, &context->depth);
	pack_u64(pack, &context->begin_ns);
	pack_u64(pack, &context->serial);
}

static void pack_open(struct array *open, struct pack *pack, uint32_t functions)
{
	uint32_t count = (uint32_t)open->count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct open_context *context =
			pack->is_reading ? array_add(open) : array_at(open, i);

		pack_check(pack, context);
		if (context)
			pack_context(context, pack, functions);
	}
}

void task_contexts_pack(struct task_contexts *contexts, struct pack *pack,
			uint32_t functions, uint32_t tasks)
{
	uint32_t count = (uint32_t)contexts->tasks.count;

	pack_u64(pack, &contexts->last_serial);
	pack_u32(pack, &count);
	pack_check(pack, count <= tasks);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct array *open = open_of(contexts, i);

		pack_check(pack, open);
		if (open)
			pack_open(open, pack, functions);
	}
}
