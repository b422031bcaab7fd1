/* SPDX-License-Identifier: MIT */
#include "view/make/thread_numbers.h"

#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "view/data/summary.h"

/* Each CPU has its own idle task and unknown task. */
static uint64_t key_of(int32_t tid, int32_t cpu)
{
	if (tid > 0)
		return (uint64_t)tid;
	return (tid ? UINT64_C(2) : UINT64_C(1)) << 32 | (uint32_t)cpu;
}

static uint64_t fiber_key(int32_t pid, uint32_t fiber)
{
	return (uint64_t)(uint32_t)pid << 32 | fiber;
}

int thread_numbers_init(struct thread_numbers *numbers,
			struct view_summary *summary, bool may_add)
{
	*numbers = (struct thread_numbers){
		.summary = summary,
		.may_add = may_add,
		.by_task = ARRAY_OF(uint32_t),
	};
	for (size_t i = 0; i < summary->threads.count; i++) {
		const struct view_thread *thread =
			array_at(&summary->threads, i);
		uint64_t *number = number_map_add(
			&numbers->by_tid, key_of(thread->tid, thread->cpu));

		if (!number)
			return -ERROR_MEMORY;
		*number = i + 1;
	}
	for (size_t i = 0; i < summary->fibers.count; i++) {
		const struct view_fiber *fiber = array_at(&summary->fibers, i);
		uint64_t *number =
			number_map_add(&numbers->by_fiber,
				       fiber_key(fiber->pid, fiber->fiber));

		if (!number)
			return -ERROR_MEMORY;
		*number = i + 1;
	}
	return 0;
}

void thread_numbers_free(struct thread_numbers *numbers)
{
	number_map_free(&numbers->by_fiber);
	number_map_free(&numbers->by_tid);
	array_free(&numbers->by_task);
}

static uint32_t add_thread(struct thread_numbers *numbers,
			   const struct task *task)
{
	struct view_summary *summary = numbers->summary;
	struct view_thread *thread;

	if (summary->threads.count >= TRACK_MOST / TRACK_KINDS)
		return 0;
	pthread_mutex_lock(&summary->lock);
	thread = array_add(&summary->threads);
	if (thread) {
		thread->tid = task->tid;
		thread->pid = task->pid;
		thread->cpu = task->cpu;
	}
	pthread_mutex_unlock(&summary->lock);
	return thread ? (uint32_t)summary->threads.count : 0;
}

static uint32_t look_up(struct thread_numbers *numbers, const struct task *task)
{
	uint64_t key = key_of(task->tid, task->cpu);
	uint64_t *number = number_map_find(&numbers->by_tid, key);

	if (!number && numbers->may_add)
		number = number_map_add(&numbers->by_tid, key);
	if (!number)
		return 0;
	if (!*number)
		*number = add_thread(numbers, task);
	return (uint32_t)*number;
}

uint32_t thread_numbers_find(struct thread_numbers *numbers,
			     const struct task *task)
{
	uint32_t *number = array_reach(&numbers->by_task, task->index);

	if (!number)
		return THREAD_NUMBER_NONE;
	if (!*number)
		*number = look_up(numbers, task);
	return *number ? *number - 1 : THREAD_NUMBER_NONE;
}

/* Returns the index of a new fiber + 1, or 0. */
static uint32_t add_fiber(struct view_summary *summary,
			  const struct call_step *step)
{
	struct view_fiber *fiber;

	if (summary->fibers.count >= TRACK_MOST / TRACK_KINDS)
		return 0;
	pthread_mutex_lock(&summary->lock);
	fiber = array_add(&summary->fibers);
	if (fiber)
		*fiber = (struct view_fiber){ step->task->pid, step->fiber };
	pthread_mutex_unlock(&summary->lock);
	return fiber ? (uint32_t)summary->fibers.count : 0;
}

uint32_t thread_numbers_fiber(struct thread_numbers *numbers,
			      const struct call_step *step)
{
	uint64_t key = fiber_key(step->task->pid, step->fiber);
	uint64_t *index;

	if (!step->fiber)
		return THREAD_NUMBER_NONE;
	index = number_map_find(&numbers->by_fiber, key);
	if (!index && numbers->may_add)
		index = number_map_add(&numbers->by_fiber, key);
	if (index && !*index)
		*index = add_fiber(numbers->summary, step);
	return index && *index ? (uint32_t)*index - 1 : THREAD_NUMBER_NONE;
}
