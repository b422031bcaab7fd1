/* SPDX-License-Identifier: MIT */
#include "symbolize/events/stream_tasks.h"

#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"

/* A record farther than this from a switch point belongs to another one. If the
 * switch point's time bounds are known, this does not limit the records before
 * it.
 */
enum { TASK_SWITCH_NEAR_NS = 20000 };

static bool is_near(uint64_t from_ns, uint64_t to_ns)
{
	return from_ns && to_ns <= from_ns + TASK_SWITCH_NEAR_NS;
}

/* Announces the task that FLOW_SWITCH @item names as the next one. */
static void task_switch_announce(struct task_switch *state,
				 const struct flow_item *item)
{
	state->next.tid = flow_switch_tid(item);
	state->next.pid = flow_switch_pid(item);
	state->preempted = item->detail == FLOW_SWITCH_PREEMPT;
	state->has_next = true;
	if (item->detail == FLOW_SWITCH_AWAY)
		state->next = (struct task_id){ .pid = -1, .tid = -1 };
}

static void perform(struct task_switch *state)
{
	state->current = state->next;
	state->has_next = false;
	state->overdue_ns = 0;
	state->untraced_ns = 0;
}

bool task_switch_record(struct task_switch *state, const struct flow_item *item,
			bool running)
{
	task_switch_announce(state, item);
	/* Most switches are recorded twice: out of one task, into another. */
	if (state->next.tid == state->current.tid && state->next.tid >= 0) {
		state->has_next = false;
		state->overdue_ns = 0;
		return false;
	}
	if (running && !is_near(state->overdue_ns, item->time_ns))
		return false;
	perform(state);
	if (!running)
		state->untraced_ns = item->time_ns;
	return true;
}

/* Returns whether the switch point within [@low_ns, @high_ns] is that of a
 * switch which was assumed while the CPU was not traced (untraced_ns). That
 * assumption is then used up.
 */
static bool task_switch_is_done(struct task_switch *state, uint64_t low_ns,
				uint64_t high_ns)
{
	uint64_t done_ns = state->untraced_ns;

	if (!done_ns || done_ns > high_ns ||
	    low_ns > done_ns + TASK_SWITCH_NEAR_NS)
		return false;
	state->untraced_ns = 0;
	return true;
}

/* A dead task that runs for the last time has no tid any more, but its record
 * belongs to this switch point like any other.
 */
bool task_switch_point(struct task_switch *state, uint64_t time_ns,
		       const struct flow_item *next)
{
	if (!state->has_next && is_near(state->untraced_ns, time_ns)) {
		state->untraced_ns = 0;
		return false;
	}
	if (!state->has_next && next &&
	    next->time_ns <= time_ns + TASK_SWITCH_NEAR_NS)
		task_switch_announce(state, next);
	state->overdue_ns = state->has_next ? 0 : time_ns;
	if (!state->has_next)
		return false;
	perform(state);
	return true;
}

/* The gap may be a few instructions that do not contain the switch point.
 * Without untraced_ns, that switch point would be paired with the next record,
 * and so on.
 */
bool task_switch_lost(struct task_switch *state, uint64_t time_ns)
{
	state->overdue_ns = 0;
	if (!state->has_next)
		return false;
	perform(state);
	state->untraced_ns = time_ns;
	return true;
}

/* Must be called when execution continues in a trace of thread @own only: the
 * record that it is back on a CPU is written a little later. Returns whether
 * the task changes here.
 */
static bool task_switch_back(struct task_switch *state,
			     const struct task_id *own)
{
	if (state->current.tid == own->tid)
		return false;
	state->current = *own;
	state->has_next = false;
	state->preempted = false;
	return true;
}

int stream_tasks_open(struct stream_tasks *tasks,
		      const struct flow_input *input)
{
	if (tasks->feed)
		return switch_feed_reopen(tasks->feed, input->recording,
					  input->stream);
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
	return task_switch_record(&tasks->state, item, tasks->is_running) &&
	       !tasks->state.is_user;
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

static bool is_other(struct task_id one, struct task_id other)
{
	return one.tid != other.tid || one.pid != other.pid;
}

struct task_id stream_tasks_shown(const struct stream_tasks *tasks)
{
	return tasks->state.is_user ? tasks->state.user : tasks->state.current;
}

bool stream_tasks_enter(struct stream_tasks *tasks, struct task_id user)
{
	struct task_id shown = stream_tasks_shown(tasks);

	if (tasks->own.tid >= 0)
		return false;
	if (user.tid < 0)
		user.pid = -1;
	tasks->state.user = user;
	tasks->state.is_user = true;
	return is_other(user, shown);
}

bool stream_tasks_leave(struct stream_tasks *tasks, uint64_t time_ns)
{
	struct task_id shown = stream_tasks_shown(tasks);

	tasks->is_running = false;
	task_switch_lost(&tasks->state, time_ns);
	tasks->state.is_user = false;
	return is_other(stream_tasks_shown(tasks), shown);
}

bool stream_tasks_come_back(struct stream_tasks *tasks)
{
	return tasks->own.tid >= 0 &&
	       task_switch_back(&tasks->state, &tasks->own);
}
