/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_TIME_H
#define KT_ATTRIBUTION_TASK_TIME_H

#include "attribution/time/off_cpu.h"
#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct call_step;
struct event_record;
struct function_table;
struct sideband_record;
struct task;
struct context_kinds;
struct task_names;
struct task_pack;

/* Follows every thread's life and hands out its time as spans.
 *
 * A thread begins where it is made, or with the recording, and ends where it
 * leaves the CPU for the last time, or with the recording; of threads that
 * neither ran nor were woken nothing is known.  The recording is what was
 * traced: on CPUs whose trace begins later or ends earlier, the threads there
 * begin and end with it.
 *
 * The steps say when a thread runs and what it does; sched_switch and
 * sched_waking whether it sleeps while it does not.  Where a thread that slept
 * runs again and no event says who woke it, it is taken to have slept until
 * perf last woke somebody, which no event tells but the steps do, else until
 * it ran.  A span is handed out
 * before the step that ends it is applied; time off the CPU when the thread
 * is back on one and does something.
 */
struct task_time;

struct task_time_options {
	const struct context_kinds *kinds; /* borrowed, as is */
	const struct function_table *functions;
	struct off_cpu_evidence evidence;
	const struct task_names *names;
	const char *recorder; /* see recorder_task.h; NULL: nobody is it */
	bool is_user_unknown; /* the trace is of user space only: time
				 * outside it is in the kernel */
};

struct task_time_options
task_time_options_of(const struct attribution_input *input);

/* Borrows @callback.  Returns NULL when out of memory. */
struct task_time *task_time_new(const struct task_time_options *options,
				struct span_callback *callback);
void task_time_free(struct task_time *time);

/* Forgets all threads: another recording with the same functions begins, of
 * which @evidence says what it can tell.  Returns 0 or -ERROR_MEMORY.
 */
int task_time_renew(struct task_time *time,
		    const struct off_cpu_evidence *evidence);

/* These take what a handler sees, in the order in which it does.
 *
 * Returns whether @step may have changed what the thread does, or how far its
 * time was handed out: most calls do not.
 */
bool task_time_step(struct task_time *time, const struct call_step *step);
void task_time_event(struct task_time *time, const struct event_record *event);
void task_time_record(struct task_time *time,
		      const struct sideband_record *record);

/* Writes what is known of all threads, or sets @time, which has taken nothing, to
 * what it reads: it goes on as if it had taken all before.  What makes no sense
 * makes the pack fail, and @time of no use.
 */
void task_time_pack(struct task_time *time, const struct task_pack *tasks);

/* Returns whether a span that ends before @until_ns may still be handed out when
 * all steps to come are later: a thread's time off the CPU is, when it is back.
 */
bool task_time_is_due(struct task_time *time, uint64_t until_ns);

/* Returns when the last wake-up was that the steps show and no event tells
 * (untraced_wakeups.h); 0: there was none.
 */
uint64_t task_time_untraced_wakeup(const struct task_time *time);

/* Hands out what is left, after the last step.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int task_time_end(struct task_time *time);

/* Returns the number of thread @tid, counted from 0 in the order in which threads
 * appear; UINT32_MAX: it has not.
 */
uint32_t task_time_thread(const struct task_time *time, int32_t tid);

/* Returns the task of the steps that thread @tid on @cpu, of an event, is: for tid 0
 * the one that runs there, if that is an idle or an unknown one.  NULL: no step was
 * of it.
 */
const struct task *task_time_task(const struct task_time *time, int32_t cpu,
				  int32_t tid);

/* Returns whether thread number @thread is still on its CPU after the event by which
 * it goes to sleep.
 */
bool task_time_falls_asleep(const struct task_time *time, uint32_t thread);

/* Returns whether thread @tid was told to exit: by its record, or by its last
 * switch.
 */
bool task_time_exits(const struct task_time *time, int32_t tid);

/* Returns whether the last step began (1) or ended (-1) its task's innermost
 * work, else 0.
 */
int task_time_context_change(const struct task_time *time);

/* Returns whether the steps show what @cpu, of an event, does now. */
bool task_time_sees(const struct task_time *time, int32_t cpu);

/* Returns the work that task @index has open now, outermost first, and
 * *@count, which may be 0; valid until the next step.
 */
const struct open_context *task_time_contexts(const struct task_time *time,
					      uint32_t index, size_t *count);

#endif
