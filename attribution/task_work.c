/* SPDX-License-Identifier: MIT */
#include "attribution/task_work.h"

#include "attribution/work_kinds.h"
#include "common/array.h"
#include "common/error.h"

#include <stdlib.h>

struct works {
	struct array open;	/* struct open_work */
};

struct task_work {
	const struct work_kinds *kinds;
	struct array tasks;	/* struct works by task index */
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

static const struct open_work *top_of(const struct array *open)
{
	return open->count ? array_at(open, open->count - 1) : NULL;
}

static int enter(struct task_work *work, struct array *open,
		 const struct call_step *step, enum work_kind kind)
{
	const struct open_work *top = top_of(open);
	struct open_work *begun;

	if (top && top->kind == kind)
		return 0;
	begun = array_add(open);
	if (!begun)
		return -ERROR_MEMORY;
	*begun = (struct open_work){
		.kind = (uint8_t)kind,
		.doubt = step->doubt,
		.function = step->function,
		.depth = step->depth,
		.begin_ns = step->time_ns,
		.serial = ++work->last_serial,
	};
	return 1;
}

static int leave(struct array *open, const struct call_step *step)
{
	const struct open_work *top = top_of(open);

	if (!top || top->depth < step->depth)
		return 0;
	open->count--;
	return 1;
}

int task_work_take(struct task_work *work, const struct call_step *step)
{
	enum work_kind kind;
	struct array *open;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return 0;
	open = works_of(work, step->task->index);
	if (!open)
		return -ERROR_MEMORY;
	if (step->kind == STEP_EXIT)
		return leave(open, step);
	kind = work_kind_of(work->kinds, step->function);
	return kind == WORK_NONE ? 0 : enter(work, open, step, kind);
}

size_t task_work_count(const struct task_work *work, uint32_t index)
{
	const struct works *works = work->tasks.items;

	return index < work->tasks.count ? works[index].open.count : 0;
}

const struct open_work *task_work_at(const struct task_work *work,
				     uint32_t index, size_t at)
{
	const struct works *works = array_at(&work->tasks, index);

	return array_at(&works->open, at);
}

const struct open_work *task_work_top(const struct task_work *work,
				      uint32_t index)
{
	size_t count = task_work_count(work, index);

	return count ? task_work_at(work, index, count - 1) : NULL;
}
