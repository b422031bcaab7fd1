/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_EVENTS_STREAM_TASKS_H
#define KT_SYMBOLIZE_EVENTS_STREAM_TASKS_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stdint.h>

struct flow_input;
struct switch_feed;

struct task_id {
	int32_t pid;
	int32_t tid;
};

/* Determines when a CPU's task changes. The kernel's switch records are written
 * near a switch, mostly before it; the kernel changes stacks at the switch
 * point, a function entry in the trace. The functions below pair records and
 * switch points.
 */
struct task_switch {
	struct task_id current;
	struct task_id next; /* the next task, if has_next */
	bool has_next;
	/* the task that leaves, or left last, was still runnable */
	bool preempted;
	/* time of a switch point that no record announced; 0: none */
	uint64_t overdue_ns;
	/* time of a switch that was assumed without its switch point, which may
	 * still follow; 0: none
	 */
	uint64_t untraced_ns;
	/* the task in user space, if is_user: see stream_tasks_enter() */
	struct task_id user;
	bool is_user;
};

/* Consumes a FLOW_SWITCH. @running: the CPU is being traced, so that a switch
 * point must follow.
 *
 * Returns whether the task changes right here; otherwise it changes at the
 * switch point, or not at all.
 */
bool task_switch_record(struct task_switch *state, const struct flow_item *item,
			bool running);

/* Consumes a switch point at @time_ns. @next is the next FLOW_SWITCH, which may
 * be late and belong to this switch point; NULL if there is none. Returns
 * whether the task changes here.
 */
bool task_switch_point(struct task_switch *state, uint64_t time_ns,
		       const struct flow_item *next);

/* Must be called when execution is not followed from @time_ns on. Returns
 * whether the task changes here, because a switch was announced.
 */
bool task_switch_lost(struct task_switch *state, uint64_t time_ns);

/* The running task of a stream, from the kernel's switch records and from the
 * trace itself. The caller decides which comes next: a switch record
 * (stream_tasks_record()), a switch point (stream_tasks_point()), or, in the
 * trace of one thread, its continuation (stream_tasks_come_back()). The callers
 * are the engines: execution_stream.c and function_events.h.
 */
struct stream_tasks {
	/* the switch records; NULL: stream_tasks_open() was not called */
	struct switch_feed *feed;
	struct task_switch state;
	/* the only thread of the stream; tid -1: the stream is of a CPU */
	struct task_id own;
	bool is_running; /* tracing is on */
	uint64_t count;	 /* number of switch records consumed */
};

/* Opens the switch records of @input's stream, in place of another stream's if
 * those are open. Returns 0 or -ERROR_MEMORY.
 */
int stream_tasks_open(struct stream_tasks *tasks,
		      const struct flow_input *input);
void stream_tasks_close(struct stream_tasks *tasks);

/* Sets the task that runs at the start of the stream (-1: unknown). @is_own:
 * the stream is the trace of that thread only.
 */
void stream_tasks_set(struct stream_tasks *tasks, int32_t pid, int32_t tid,
		      bool is_own);

/* Goes to a later position of the stream, where @count switch records were
 * consumed in total: consumes the records up to there, and sets @state and
 * @is_running. Returns 0 or -ERROR_MEMORY.
 */
int stream_tasks_go_to(struct stream_tasks *tasks,
		       const struct task_switch *state, bool is_running,
		       uint64_t count);

/* stream_tasks_next() returns the next switch record, or NULL.
 * stream_tasks_advance() consumes it and returns 0 or -ERROR_MEMORY.
 */
const struct flow_item *stream_tasks_next(const struct stream_tasks *tasks);
int stream_tasks_advance(struct stream_tasks *tasks);

/* Applies a switch record. Returns whether the task changes right here;
 * otherwise it changes at the next switch point, or not at all.
 */
bool stream_tasks_record(struct stream_tasks *tasks,
			 const struct flow_item *item);

/* Consumes all switch records before @low_ns. Each replaces the announced task,
 * because the switch point of the record before it was not traced. Returns 0 or
 * -ERROR_MEMORY.
 */
int stream_tasks_pass(struct stream_tasks *tasks, uint64_t low_ns);

/* Consumes a switch point whose time is estimated as @time_ns and is within
 * [@low_ns, @high_ns], after stream_tasks_pass() up to @low_ns. The point
 * belongs to the last record consumed, if that record has no switch point yet.
 * Else it belongs to the next record, which is then consumed, if the times
 * allow it: a record of the leaving task is written before the switch point, a
 * record of the arriving task after it.
 *
 * Returns 1 if the task changes here, 0 if not, or -ERROR_MEMORY.
 */
int stream_tasks_point(struct stream_tasks *tasks, uint64_t low_ns,
		       uint64_t high_ns, uint64_t time_ns);

/* For a trace without the kernel: declares that task @user runs from here on in
 * user space, regardless of the switch records, until stream_tasks_leave(). If
 * its tid is -1, several tasks are possible. Ignored if the stream is of one
 * thread. Returns whether stream_tasks_shown() changed.
 */
bool stream_tasks_enter(struct stream_tasks *tasks, struct task_id user);

/* Must be called when execution is not followed from @time_ns on: leaves user
 * space, and performs an announced switch. Returns whether stream_tasks_shown()
 * changed.
 */
bool stream_tasks_leave(struct stream_tasks *tasks, uint64_t time_ns);

/* Returns the task to report as running: the one from stream_tasks_enter()
 * while in user space, else the one that the switch records name.
 */
struct task_id stream_tasks_shown(const struct stream_tasks *tasks);

/* Must be called when execution continues. If the stream is of one thread, that
 * thread is the running task from now on. Returns whether it was not before.
 */
bool stream_tasks_come_back(struct stream_tasks *tasks);

#endif
