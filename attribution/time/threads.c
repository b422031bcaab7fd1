/* SPDX-License-Identifier: MIT */
#include "attribution/time/threads.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/maps.h"
#include "report/steps/task_pack.h"

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

static void pack_off(struct off_cpu *off, struct pack *pack)
{
	pack_u64(pack, &off->begin_ns);
	pack_u64(pack, &off->end_ns);
	pack_u64(pack, &off->wake_ns);
	pack_u32(pack, &off->begin_error_ns);
	pack_i32(pack, &off->waker_tid);
	pack_bool(pack, &off->is_wake_inferred);
	pack_bool(pack, &off->has_blocked);
	pack_i32(pack, &off->cpu);
	pack_small(pack, &off->how, OFF_NEW);
	pack_bool(pack, &off->has_ended);
}

/* Packs the state of a thread on a CPU. */
static void pack_on(struct thread *thread, struct pack *pack)
{
	pack_u64(pack, &thread->begin_ns);
	pack_u32(pack, &thread->begin_error_ns);
	pack_i32(pack, &thread->cpu);
	pack_small(pack, &thread->time_class, TIME_CLASSES - 1);
	pack_small(pack, &thread->reason, UNKNOWN_REASONS - 1);
	pack_bool(pack, &thread->is_unseen);
	pack_bool(pack, &thread->is_provisional);
	pack_bool(pack, &thread->is_bottom_unseen);
	pack_u32(pack, &thread->frames);
	pack_u32(pack, &thread->user_frames);
}

static void pack_thread(struct thread *thread, struct pack *pack)
{
	pack_i32(pack, &thread->pid);
	pack_small(pack, &thread->phase, THREAD_ENDED);
	pack_bool(pack, &thread->is_traced);
	pack_bool(pack, &thread->is_recorder);
	pack_bool(pack, &thread->is_dead);
	pack_bool(pack, &thread->polls_perf);
	pack_u64(pack, &thread->last_ns);
	pack_off(&thread->off, pack);
	pack_bool(pack, &thread->has_off);
	pack_small(pack, &thread->next_how, OFF_NEW);
	pack_bool(pack, &thread->has_blocked);
	pack_u64(pack, &thread->pending_wakeup_ns);
	pack_i32(pack, &thread->pending_waker_tid);
	pack_on(thread, pack);
}

/* Reads the identity of the thread with number @index, and adds it. */
static struct thread *read_thread(struct threads *threads,
				  const struct task_pack *tasks, uint32_t index)
{
	struct thread *thread = NULL;
	const struct task *task;
	int32_t tid = 0;

	pack_i32(tasks->pack, &tid);
	task_pack_task(tasks, &task);
	pack_check(tasks->pack, task ? task->tid == tid : tid > 0);
	if (tasks->pack->failed)
		return NULL;
	thread = task ? threads_of_task(threads, task) :
			threads_of_tid(threads, tid);
	pack_check(tasks->pack, thread && thread->index == index);
	return tasks->pack->failed ? NULL : thread;
}

static struct thread *pack_id(struct threads *threads,
			      const struct task_pack *tasks, uint32_t index)
{
	struct thread *thread;

	if (tasks->pack->is_reading)
		return read_thread(threads, tasks, index);
	thread = threads_at(threads, index);
	pack_i32(tasks->pack, &thread->tid);
	task_pack_task(tasks, &thread->task);
	return thread;
}

void threads_pack(struct threads *threads, const struct task_pack *tasks)
{
	uint32_t count = 0;

	while (!tasks->pack->is_reading && threads_at(threads, count))
		count++;
	pack_u32(tasks->pack, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct thread *thread = pack_id(threads, tasks, i);

		if (!thread)
			return;
		pack_thread(thread, tasks->pack);
	}
}

void threads_pack_one(const struct threads *threads, struct pack *pack,
		      struct thread **thread)
{
	uint32_t number = 0;

	if (!pack->is_reading && *thread)
		number = (*thread)->index + 1;
	pack_u32(pack, &number);
	if (!pack->is_reading)
		return;
	*thread = number ? threads_at(threads, number - 1) : NULL;
	pack_check(pack, !number || *thread);
}
