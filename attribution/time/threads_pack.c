/* SPDX-License-Identifier: MIT */
#include "attribution/time/threads_pack.h"

#include "attribution/time/threads.h"
#include "common/pack.h"
#include "report/steps/task_pack.h"

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

/* What is known of it on a CPU. */
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

/* Reads which thread is number @index, and adds it. */
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
