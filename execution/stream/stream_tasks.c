/* SPDX-License-Identifier: MIT */
#include "execution/stream/stream_tasks.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"

int stream_tasks_open(struct stream_tasks *tasks,
		      const struct flow_input *input)
{
	tasks->feed = switch_feed_new(input->recording, input->stream);
	return tasks->feed ? 0 : -ERROR_MEMORY;
}

void stream_tasks_close(struct stream_tasks *tasks)
{
	switch_feed_free(tasks->feed);
}

void stream_tasks_set(struct stream_tasks *tasks, int32_t pid, int32_t tid,
		      bool is_own)
{
	tasks->state.current = (struct task_id){ .pid = pid, .tid = tid };
	tasks->own = tasks->state.current;
	if (!is_own)
		tasks->own.tid = -1;
}

int stream_tasks_go_to(struct stream_tasks *tasks,
		       const struct task_switch *state, bool is_running,
		       uint64_t count)
{
	tasks->state = *state;
	tasks->is_running = is_running;
	while (tasks->count < count && stream_tasks_next(tasks))
		if (stream_tasks_advance(tasks) < 0)
			return -ERROR_MEMORY;
	return 0;
}

const struct flow_item *stream_tasks_next(const struct stream_tasks *tasks)
{
	return tasks->feed ? switch_feed_peek(tasks->feed) : NULL;
}

int stream_tasks_advance(struct stream_tasks *tasks)
{
	tasks->count++;
	return switch_feed_advance(tasks->feed) < 0 ? -ERROR_MEMORY : 0;
}

bool stream_tasks_record(struct stream_tasks *tasks,
			 const struct flow_item *item)
{
	return task_switch_record(&tasks->state, item, tasks->is_running);
}

bool stream_tasks_come_back(struct stream_tasks *tasks)
{
	return tasks->own.tid >= 0 &&
	       task_switch_back(&tasks->state, &tasks->own);
}

union timed_record stream_tasks_record_at(const struct stream_tasks *tasks,
					  const union timed_record *like)
{
	const struct task_id *task = &tasks->state.current;

	return (union timed_record){
		.event = {
			.time_ns = like->time_ns,
			.early_ns = like->early_ns,
			.late_ns = like->late_ns,
			.kind = FUNCTION_SWITCH,
			.detail = tasks->state.preempted,
			.address = (uint64_t)(uint32_t)task->pid << 32 |
				   (uint32_t)task->tid,
		},
	};
}
