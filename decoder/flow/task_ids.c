/* SPDX-License-Identifier: MIT */
#include "decoder/flow/task_ids.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>

struct task {
	int32_t tid;
	int32_t pid;
};

struct task_ids {
	struct array tasks; /* struct task, by tid */
};

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a;
	const struct task *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int read_tasks(struct task_ids *tasks, struct sideband *sideband)
{
	struct sideband_record record;
	int status;

	while ((status = sideband_next(sideband, &record)) > 0) {
		if (record.tid < 0 || record.pid < 0)
			continue;
		if (array_append(&tasks->tasks,
				 &(struct task){ record.tid, record.pid }) < 0)
			return -ERROR_MEMORY;
	}
	array_sort(&tasks->tasks, compare_tasks);
	return status;
}

struct task_ids *task_ids_new(const struct recording *recording)
{
	struct task_ids *tasks = calloc(1, sizeof(*tasks));
	struct sideband *sideband = sideband_open_tasks(
		recording, SIDEBAND_BIT(SIDEBAND_COMM) |
				   SIDEBAND_BIT(SIDEBAND_FORK) |
				   SIDEBAND_BIT(SIDEBAND_ITRACE_START));
	int status = -ERROR_MEMORY;

	if (tasks && sideband) {
		tasks->tasks = ARRAY_OF(struct task);
		status = read_tasks(tasks, sideband);
	}
	sideband_close(sideband);
	if (status < 0) {
		task_ids_free(tasks);
		return NULL;
	}
	return tasks;
}

void task_ids_free(struct task_ids *tasks)
{
	if (!tasks)
		return;
	array_free(&tasks->tasks);
	free(tasks);
}

int32_t task_ids_process(const struct task_ids *tasks, int32_t tid)
{
	const struct task wanted = { .tid = tid };
	const struct task *found =
		tasks->tasks.count ?
			bsearch(&wanted, tasks->tasks.items, tasks->tasks.count,
				sizeof(wanted), compare_tasks) :
			NULL;

	if (!found)
		return tid == 0 ? 0 : -1;
	return found->pid;
}
