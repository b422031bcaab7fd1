/* SPDX-License-Identifier: MIT */
#include "symbolize/events/stream_tasks.h"
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

/* Consumes the next switch record, which announces the next task. */
static int announce_next(struct stream_tasks *tasks)
{
	task_switch_announce(&tasks->state, stream_tasks_next(tasks));
	return stream_tasks_advance(tasks);
}

/* Returns whether the next switch record can belong to a switch point up to
 * @high_ns.
 */
static bool has_record_by(const struct stream_tasks *tasks, uint64_t high_ns)
{
	const struct flow_item *next = stream_tasks_next(tasks);
	uint64_t delay_ns = 0;

	if (!next)
		return false;
	if (switch_feed_is_arrival(tasks->feed))
		delay_ns = TASK_SWITCH_NEAR_NS;
	return next->time_ns <= delay_ns || next->time_ns - delay_ns <= high_ns;
}

int stream_tasks_pass(struct stream_tasks *tasks, uint64_t low_ns)
{
	const struct flow_item *next;

	while ((next = stream_tasks_next(tasks)) && next->time_ns < low_ns)
		if (announce_next(tasks) < 0)
			return -ERROR_MEMORY;
	return 0;
}

int stream_tasks_point(struct stream_tasks *tasks, uint64_t low_ns,
		       uint64_t high_ns, uint64_t time_ns)
{
	if (stream_tasks_pass(tasks, low_ns) < 0)
		return -ERROR_MEMORY;
	if (!tasks->state.has_next &&
	    task_switch_is_done(&tasks->state, low_ns, high_ns))
		return 0;
	if (!tasks->state.has_next && has_record_by(tasks, high_ns) &&
	    announce_next(tasks) < 0)
		return -ERROR_MEMORY;
	return task_switch_point(&tasks->state, time_ns, NULL);
}

bool stream_tasks_come_back(struct stream_tasks *tasks)
{
	return tasks->own.tid >= 0 &&
	       task_switch_back(&tasks->state, &tasks->own);
}
