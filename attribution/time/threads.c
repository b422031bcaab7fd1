/* SPDX-License-Identifier: MIT */
#include "attribution/time/threads.h"

#include "common/array.h"
#include "common/number_map.h"

#include <stdlib.h>

struct threads {
	struct array all;	  /* struct thread * */
	struct array by_task;	  /* struct thread * by task index */
	struct number_map by_tid; /* index in all, plus 1 */
};

struct threads *threads_new(void)
{
	struct threads *threads = calloc(1, sizeof(*threads));

	if (threads) {
		threads->all = ARRAY_OF(struct thread *);
		threads->by_task = ARRAY_OF(struct thread *);
	}
	return threads;
}

void threads_free(struct threads *threads)
{
	if (!threads)
		return;
	for (size_t i = 0; i < threads->all.count; i++)
		free(threads_at(threads, i));
	array_free(&threads->all);
	array_free(&threads->by_task);
	number_map_free(&threads->by_tid);
	free(threads);
}

static struct thread *add(struct threads *threads, int32_t tid)
{
	struct thread **slot = array_add(&threads->all);

	if (!slot)
		return NULL;
	*slot = calloc(1, sizeof(**slot));
	if (!*slot) {
		threads->all.count--;
		return NULL;
	}
	(*slot)->index = (uint32_t)threads->all.count - 1;
	(*slot)->tid = tid;
	(*slot)->pid = -1;
	(*slot)->cpu = -1;
	return *slot;
}

struct thread *threads_find(const struct threads *threads, int32_t tid)
{
	const uint64_t *number =
		number_map_find(&threads->by_tid, (uint64_t)tid);

	return number && *number ? threads_at(threads, *number - 1) : NULL;
}

struct thread *threads_of_tid(struct threads *threads, int32_t tid)
{
	uint64_t *number = number_map_add(&threads->by_tid, (uint64_t)tid);
	struct thread *thread;

	if (!number)
		return NULL;
	if (*number)
		return threads_at(threads, *number - 1);
	thread = add(threads, tid);
	if (thread)
		*number = threads->all.count;
	return thread;
}

static struct thread *find_or_add(struct threads *threads,
				  const struct task *task)
{
	struct thread *thread = task->tid > 0 ?
					threads_of_tid(threads, task->tid) :
					add(threads, task->tid);

	if (!thread)
		return NULL;
	thread->task = task;
	thread->pid = task->pid;
	return thread;
}

struct thread *threads_of_task(struct threads *threads, const struct task *task)
{
	struct thread **slot;

	slot = array_reach(&threads->by_task, task->index);
	if (!slot)
		return NULL;
	if (!*slot)
		*slot = find_or_add(threads, task);
	return *slot;
}

struct thread *threads_at(const struct threads *threads, size_t index)
{
	return index < threads->all.count ?
		       *(struct thread **)array_at(&threads->all, index) :
		       NULL;
}
