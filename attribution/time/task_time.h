/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_TASK_TIME_H
#define KT_ATTRIBUTION_TIME_TASK_TIME_H

/* The time of each thread, as spans of one class each.
 *
 *   steps  --> contexts (task_contexts.h), CPUs (untraced_internal.h) --+
 *   events --> threads (threads_internal.h)                             |
 *                                                                       v
 *        all trackers <-- struct span_callback <-- spans (struct span_out)
 *
 * Call events (struct call_step) show on which CPU a thread runs, and in which
 * context of the kernel; the scheduler's events show why it does not run. Users
 * of time (tables, sleeps, requests, SQL's thread_state) read the spans and add
 * them up.
 *
 * Invariants:
 * 1. The spans of a thread follow each other without holes, from its start to
 *    its end.
 * 2. No class is a remainder: time that nothing explains is TIME_UNKNOWN, with
 *    a reason.
 * 3. A span is emitted before the step that ends it is applied.
 */

#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct call_step;
struct context_kinds;
struct event_record;
struct function_table;
struct recording;
struct sideband_record;
struct skip_limits;
struct skipped_calls;
struct task;
struct task_names;
struct task_pack;

/* Tracks every thread and emits its time as spans.
 *
 * A thread starts where it is created, or with the recording, and ends where it
 * leaves the CPU for the last time, or with the recording. Nothing is known
 * about threads that neither ran nor were woken. "The recording" is the traced
 * time: on CPUs whose trace starts later or ends earlier, the threads there
 * start and end with the trace.
 *
 * The steps show when a thread runs and what it does; sched_switch and
 * sched_waking show whether it sleeps otherwise. If a thread that slept runs
 * again and no event shows its wake-up, it counts as woken by perf's last
 * wake-up without an event (untraced_internal.h) or, if there was none, as
 * asleep until it ran.
 *
 * A span is emitted before the step that ends it is applied; time off the CPU,
 * when the thread is back on a CPU and does something.
 */
struct task_time;

struct task_time_options {
	const struct context_kinds *kinds; /* borrowed, as all pointers here */
	const struct function_table *functions;
	struct off_cpu_evidence evidence;
	const struct task_names *names;
	const char *recorder; /* command name of the recorder; NULL: none */
	/* source of the tasks' cgroups, read when the first cgroup is
	 * throttled; NULL: cgroups are not known
	 */
	const struct recording *recording;
	/* the kernel is not traced: time outside user space is unknown */
	bool is_user_unknown;
};

struct task_time_options
task_time_options_of(const struct attribution_input *input);

/* Returns a tracker of time without threads, which emits spans to @callback,
 * borrowed; NULL when out of memory.
 */
struct task_time *task_time_new(const struct task_time_options *options,
				struct span_callback *callback);
void task_time_free(struct task_time *time);

/* Removes all threads, so that the recording, or another one with the same
 * functions and tasks, can be read from its start. @evidence lists its
 * evidence. Other options stay.
 */
void task_time_reset(struct task_time *time,
		     const struct off_cpu_evidence *evidence);

/* Consume one call event, kernel event or record, in the order in which struct
 * event_handler receives them.
 *
 * task_time_step() returns whether @step may have changed the thread's state,
 * or how far its time was emitted. Most calls change neither.
 */
bool task_time_step(struct task_time *time, const struct call_step *step);
void task_time_event(struct task_time *time, const struct event_record *event);
void task_time_record(struct task_time *time,
		      const struct sideband_record *record);

/* Writes the state of all threads, or reads it into @time, which must be new
 * and then resumes after all earlier input. Inconsistent data makes the pack
 * fail; @time must then not be used.
 */
void task_time_pack(struct task_time *time, const struct task_pack *tasks);

/* Returns whether a span that ends before @until_ns may still be emitted
 * although all further steps are later: time off the CPU is emitted when the
 * thread is back.
 */
bool task_time_is_due(struct task_time *time, uint64_t until_ns);

/* Returns the time of the last wake-up that the steps show without an event
 * (untraced_internal.h); 0: none.
 */
uint64_t task_time_untraced_wakeup(const struct task_time *time);

/* Emits the spans that are still open. Must be called after the last step.
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int task_time_end(struct task_time *time);

/* Returns the number of thread @tid, counted from 0 in the order of appearance;
 * UINT32_MAX if it has not appeared.
 */
uint32_t task_time_thread(const struct task_time *time, int32_t tid);

/* Returns the task of a kernel event with @cpu and @tid. For tid 0 it is the
 * task that runs on @cpu, if that is an idle or unknown one. NULL if the task
 * had no call event.
 */
const struct task *task_time_task(const struct task_time *time, int32_t cpu,
				  int32_t tid);

/* Returns whether thread number @thread is still on its CPU after the event
 * that announces its sleep.
 */
bool task_time_falls_asleep(const struct task_time *time, uint32_t thread);

/* Returns whether the exit of thread @tid was announced, by its record or by
 * its last switch.
 */
bool task_time_exits(const struct task_time *time, int32_t tid);

/* Implement needs(), limit() and skip() of struct event_handler. */
uint8_t task_time_needs(const struct task_time *time, uint32_t function);
void task_time_limit(const struct task_time *time, const struct call_step *step,
		     struct skip_limits *limits);
void task_time_skip(struct task_time *time,
		    const struct skipped_calls *skipped);

/* Returns whether the last step started (1) or ended (-1) its task's innermost
 * context, else 0.
 */
int task_time_context_change(const struct task_time *time);

/* Returns whether call events show what @cpu executes now: its trace has begun,
 * has not ended and has no gap at present.
 */
bool task_time_sees(const struct task_time *time, int32_t cpu);

/* Returns the open contexts of task @index, outermost first, and sets *@count
 * to their number, which may be 0; valid until the next step.
 */
const struct open_context *task_time_contexts(const struct task_time *time,
					      uint32_t index, size_t *count);

#endif
