/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_paths.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/cpu_slot.h"

#include <stdlib.h>

struct path {
	const struct task *task;
	struct array frames; /* struct path_frame */
};

struct task_paths {
	struct array tasks;	 /* struct path by task index */
	struct array running;	 /* const struct task * by CPU + 1 */
	const struct task *last; /* of the newest entry; its path is known */
};

struct task_paths *task_paths_new(void)
{
	struct task_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->tasks = ARRAY_OF(struct path);
	paths->running = ARRAY_OF(const struct task *);
	return paths;
}

static struct path *path_at(const struct task_paths *paths, size_t index)
{
	return (struct path *)paths->tasks.items + index;
}

void task_paths_renew(struct task_paths *paths)
{
	for (size_t i = 0; i < paths->tasks.count; i++)
		array_free(&path_at(paths, i)->frames);
	array_free(&paths->tasks);
	array_free(&paths->running);
	paths->last = NULL;
}

void task_paths_free(struct task_paths *paths)
{
	if (!paths)
		return;
	task_paths_renew(paths);
	free(paths);
}

static struct path *path_of(struct task_paths *paths, const struct task *task)
{
	struct path *path = array_reach_like(
		&paths->tasks, task->index,
		&(struct path){ .frames = ARRAY_OF(struct path_frame) });

	if (path)
		path->task = task;
	return path;
}

static int enter(struct task_paths *paths, const struct call_step *step)
{
	struct array *frames;
	struct path_frame *frame;

	if (step->task != paths->last && !path_of(paths, step->task))
		return -ERROR_MEMORY;
	paths->last = step->task;
	frames = &path_at(paths, step->task->index)->frames;
	if ((step->depth > frames->count || step->depth >= frames->room) &&
	    !array_reach(frames, step->depth))
		return -ERROR_MEMORY;
	frame = (struct path_frame *)frames->items + step->depth;
	frames->count = step->depth + 1;
	*frame = (struct path_frame){
		.begin_ns = step->time_ns,
		.return_address = step->place,
		.function = step->function,
		.how = step->how,
	};
	return 0;
}

static void leave(const struct task_paths *paths, const struct call_step *step)
{
	struct path *path;

	if (step->task->index >= paths->tasks.count)
		return;
	path = path_at(paths, step->task->index);
	if (path->frames.count > step->depth)
		path->frames.count = step->depth;
}

static int switch_to(struct task_paths *paths, const struct call_step *step)
{
	const struct task **running;

	if (!path_of(paths, step->task))
		return -ERROR_MEMORY;
	running = array_reach(&paths->running, cpu_slot(step->cpu));
	if (!running)
		return -ERROR_MEMORY;
	*running = step->task;
	return 0;
}

int task_paths_take(struct task_paths *paths, const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		return enter(paths, step);
	if (step->kind == STEP_EXIT)
		leave(paths, step);
	else if (step->kind == STEP_SWITCH || step->kind == STEP_STATE ||
		 step->kind == STEP_GAP)
		return switch_to(paths, step);
	return 0;
}

const struct path_frame *task_paths_of(const struct task_paths *paths,
				       uint32_t index, size_t *count)
{
	if (index >= paths->tasks.count) {
		*count = 0;
		return NULL;
	}
	*count = path_at(paths, index)->frames.count;
	return path_at(paths, index)->frames.items;
}

const struct task *task_paths_task(const struct task_paths *paths, int32_t cpu,
				   int32_t tid)
{
	const struct task *const *running = paths->running.items;

	uint32_t slot = cpu_slot((uint32_t)cpu);

	if (cpu >= 0 && slot < paths->running.count && running[slot] &&
	    running[slot]->tid == tid)
		return running[slot];
	for (size_t i = paths->tasks.count; i-- > 0;) {
		const struct task *task = path_at(paths, i)->task;

		if (task && task->tid == tid && (tid > 0 || task->cpu == cpu))
			return task;
	}
	return NULL;
}
