/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_TASKS_H
#define KT_EXECUTION_STREAM_TASKS_H

#include "execution/follow/record_feed.h"
#include "symbolize/events/task_switch.h"

#include <stdbool.h>
#include <stdint.h>

struct flow_input;
struct flow_item;
struct switch_feed;

/* Who runs in a stream: what the kernel's records of switches say, and the trace
 * itself.
 */
struct stream_tasks {
	struct switch_feed *feed; /* NULL: they cannot be placed */
	struct task_switch state;
	struct task_id own; /* whose trace it is alone; tid -1: a CPU's */
	bool is_running;    /* the CPU is being traced */
	uint64_t count;	    /* of records taken */
};

/* Opens the records of @input's stream.  Returns 0 or -ERROR_MEMORY. */
int stream_tasks_open(struct stream_tasks *tasks,
		      const struct flow_input *input);
void stream_tasks_close(struct stream_tasks *tasks);

/* Sets who runs when the stream begins, -1: unknown; @is_own: nobody else does, as
 * the stream is that thread's.
 */
void stream_tasks_set(struct stream_tasks *tasks, int32_t pid, int32_t tid,
		      bool is_own);

/* Goes on as it was when @count records were taken.  Returns 0 or -ERROR_MEMORY. */
int stream_tasks_go_to(struct stream_tasks *tasks,
		       const struct task_switch *state, bool is_running,
		       uint64_t count);

/* Returns the next record of a switch, or NULL; and goes behind it: 0 or
 * -ERROR_MEMORY.
 */
const struct flow_item *stream_tasks_next(const struct stream_tasks *tasks);
int stream_tasks_advance(struct stream_tasks *tasks);

/* Takes a record of a switch.  Returns whether the switch happens right here. */
bool stream_tasks_record(struct stream_tasks *tasks,
			 const struct flow_item *item);

/* Announces all records before @low_ns, whose switch points were not traced: only
 * the last one counts.  Returns 0 or -ERROR_MEMORY.
 */
int stream_tasks_pass(struct stream_tasks *tasks, uint64_t low_ns);

/* Passes a switch point, whose time is within [@low_ns, @high_ns]; it is
 * that of the record announced last, or else of the next one, which is taken: a
 * task's record of leaving is written before its switch point, and the next task's
 * after it.  Records before @low_ns whose switch points were not traced are passed.
 * Returns 1 if the switch happens here, 0, or -ERROR_MEMORY.
 */
int stream_tasks_point(struct stream_tasks *tasks, uint64_t low_ns,
		       uint64_t high_ns, uint64_t time_ns);

/* The trace of one thread goes on, wherever that has been.  Returns whether it
 * was away.
 */
bool stream_tasks_come_back(struct stream_tasks *tasks);

/* Returns the record of a switch to who runs now, at the time of @like. */
union timed_record stream_tasks_record_at(const struct stream_tasks *tasks,
					  const union timed_record *like);

#endif
