/* SPDX-License-Identifier: MIT */
#include "symbolize/events/graph_tasks.h"

#include "common/error.h"
#include "common/maps.h"
#include "decoder/flow/switch_feed.h"
#include "symbolize/events/graph_roles.h"

#include <stdlib.h>

struct graph_tasks *graph_tasks_new(const struct recording *recording,
				    const struct symbols *symbols)
{
	struct graph_tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	tasks->tasks = ARRAY_OF(struct graph_task *);
	tasks->roles = graph_roles_new(symbols);
	tasks->ids = task_ids_new(recording);
	if (tasks->roles && tasks->ids)
		return tasks;
	graph_tasks_free(tasks);
	return NULL;
}

void graph_tasks_free(struct graph_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->tasks.count; i++) {
		struct graph_task **task = array_at(&tasks->tasks, i);

		array_free(&(*task)->frames);
		free(*task);
	}
	array_free(&tasks->tasks);
	number_map_free(&tasks->places);
	task_ids_free(tasks->ids);
	graph_roles_free(tasks->roles);
	free(tasks);
}

static struct graph_task *add_task(struct graph_tasks *tasks, int32_t tid)
{
	struct graph_task *task = calloc(1, sizeof(*task));
	struct graph_task **place = task ? array_add(&tasks->tasks) : NULL;

	if (!place) {
		free(task);
		return NULL;
	}
	*task = (struct graph_task){
		.tid = tid,
		.pid = task_ids_process(tasks->ids, tid),
		.frames = ARRAY_OF(struct graph_frame),
	};
	*place = task;
	return task;
}

struct graph_task *graph_tasks_get(struct graph_tasks *tasks, int32_t cpu,
				   int32_t tid)
{
	/* Each CPU has an idle task, and all of them have tid 0. */
	uint64_t key = tid ? (uint32_t)tid : UINT64_C(1) << 32 | (uint32_t)cpu;
	uint64_t *place = number_map_add(&tasks->places, key);
	struct graph_task **task;

	if (!place)
		return NULL;
	if (!*place) {
		if (!add_task(tasks, tid))
			return NULL;
		*place = tasks->tasks.count;
	}
	task = array_at(&tasks->tasks, *place - 1);
	return *task;
}
