/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_work.h"

#include "common/array.h"
#include "common/error.h"
#include "symbolize/functions/work_kinds.h"

#include <stdbool.h>
#include <stdlib.h>

struct works {
	struct array open; /* struct open_work */
};

struct task_work {
	const struct work_kinds *kinds;
	struct array tasks; /* struct works by task index */
	uint64_t last_serial;
};

struct task_work *task_work_new(const struct work_kinds *kinds)
{
	struct task_work *work = calloc(1, sizeof(*work));

	if (!work)
		return NULL;
	work->kinds = kinds;
	work->tasks = ARRAY_OF(struct works);
	return work;
}

void task_work_free(struct task_work *work)
{
	if (!work)
		return;
	for (size_t i = 0; i < work->tasks.count; i++) {
		struct works *works = array_at(&work->tasks, i);

		array_free(&works->open);
	}
	array_free(&work->tasks);
	free(work);
}

static struct array *works_of(struct task_work *work, uint32_t index)
{
	while (work->tasks.count <= index) {
		struct works *works = array_add(&work->tasks);

		if (!works)
			return NULL;
		works->open = ARRAY_OF(struct open_work);
	}
	return &((struct works *)array_at(&work->tasks, index))->open;
}

static int change_by_entry(const struct task_work *work,
			   const struct open_work *top,
			   const struct call_step *step)
{
	enum work_kind kind = work_kind_of(work->kinds, step->function);

	if (kind == WORK_NONE)
		return 0;
	return !top || top->kind != kind || step->how == HOW_BREAK;
}

static int change_by_exit(const struct open_work *top,
			  const struct call_step *step)
{
	bool goes_on = step->detail;

	return top && top->depth >= step->depth && !goes_on ? -1 : 0;
}

int task_work_change(const struct task_work *work, const struct call_step *step)
{
	const struct open_work *top = task_work_top(work, step->task->index);

	if (step->kind == STEP_ENTER)
		return change_by_entry(work, top, step);
	return step->kind == STEP_EXIT ? change_by_exit(top, step) : 0;
}

/* Work that ended in a jump to other work makes room for it. */
static struct open_work *add_work(struct array *open, uint32_t depth)
{
	struct open_work *top = open->count ? array_at(open, open->count - 1) :
					      NULL;

	return top && top->depth >= depth ? top : array_add(open);
}

static int begin(struct task_work *work, struct array *open,
		 const struct call_step *step)
{
	struct open_work *begun = add_work(open, step->depth);

	if (!begun)
		return -ERROR_MEMORY;
	*begun = (struct open_work){
		.kind = (uint8_t)work_kind_of(work->kinds, step->function),
		.doubt = step->doubt,
		.function = step->function,
		.depth = step->depth,
		.begin_ns = step->time_ns,
		.serial = ++work->last_serial,
	};
	return 1;
}

int task_work_take(struct task_work *work, const struct call_step *step)
{
	int change = task_work_change(work, step);
	struct array *open;

	if (!change)
		return 0;
	open = works_of(work, step->task->index);
	if (!open)
		return -ERROR_MEMORY;
	if (change > 0)
		return begin(work, open, step);
	open->count--;
	return 1;
}

const struct open_work *task_work_open(const struct task_work *work,
				       uint32_t index, size_t *count)
{
	const struct works *works = work->tasks.items;

	*count = 0;
	if (index >= work->tasks.count)
		return NULL;
	*count = works[index].open.count;
	return works[index].open.items;
}

const struct open_work *task_work_top(const struct task_work *work,
				      uint32_t index)
{
	size_t count;
	const struct open_work *works = task_work_open(work, index, &count);

	return count ? &works[count - 1] : NULL;
}
