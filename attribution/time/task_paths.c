/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_paths.h"

#include "common/array.h"
#include "common/error.h"

#include <stdlib.h>

struct task_paths {
	struct array tasks;	 /* their struct path_frame, by task index */
	const struct task *last; /* task of the newest entry; its path exists */
};

struct task_paths *task_paths_new(void)
{
	struct task_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->tasks = ARRAY_OF(struct array);
	return paths;
}

static struct array *frames_of(const struct task_paths *paths, size_t index)
{
	return (struct array *)paths->tasks.items + index;
}

void task_paths_renew(struct task_paths *paths)
{
	for (size_t i = 0; i < paths->tasks.count; i++)
		array_free(frames_of(paths, i));
	array_free(&paths->tasks);
	paths->last = NULL;
}

void task_paths_free(struct task_paths *paths)
{
	if (!paths)
		return;
	task_paths_renew(paths);
	free(paths);
}

static int enter(struct task_paths *paths, const struct call_step *step)
{
	struct array *frames;
	struct path_frame *frame;

	if (step->task != paths->last &&
	    !array_reach_like(&paths->tasks, step->task->index,
			      &ARRAY_OF(struct path_frame)))
		return -ERROR_MEMORY;
	paths->last = step->task;
	frames = frames_of(paths, step->task->index);
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
	struct array *frames;

	if (step->task->index >= paths->tasks.count)
		return;
	frames = frames_of(paths, step->task->index);
	if (frames->count > step->depth)
		frames->count = step->depth;
}

int task_paths_take(struct task_paths *paths, const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		return enter(paths, step);
	if (step->kind == STEP_EXIT)
		leave(paths, step);
	return 0;
}

const struct path_frame *task_paths_of(const struct task_paths *paths,
				       uint32_t index, size_t *count)
{
	if (index >= paths->tasks.count) {
		*count = 0;
		return NULL;
	}
	*count = frames_of(paths, index)->count;
	return frames_of(paths, index)->items;
}
