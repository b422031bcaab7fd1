/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_THREAD_EVENTS_H
#define KT_ATTRIBUTION_THREAD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct context_kinds;
struct thread;

/* These functions apply the scheduler's events about a thread, in the order in
 * which they come: shortly before or after the steps that show the same.
 */

/* The thread is woken by @waker_tid. */
void thread_wakes(struct thread *thread, uint64_t time_ns, int32_t waker_tid);

/* The thread runs again, and if nobody was seen to wake it, @waker_tid did so
 * unseen by the kernel's events: an inference.
 */
void thread_wakes_unseen(struct thread *thread, uint64_t time_ns,
			 int32_t waker_tid);

/* The thread is made: it waits for its first CPU. */
void thread_begins(struct thread *thread, uint64_t time_ns);

/* The thread is about to leave @cpu in @prev_state (as sched_switch has it),
 * or has just left it.  @is_traced says whether the steps show when.
 *
 * Returns whether it was dead: exec in a thread that is not its process's
 * first gives it the id of that one, whose second life is first seen here.
 */
bool thread_announces(struct thread *thread, uint64_t time_ns, int32_t cpu,
		      int64_t prev_state, bool is_traced);

/* The thread goes to @cpu, of which there are no steps. */
void thread_goes_away(struct thread *thread, uint64_t time_ns, int32_t cpu);

/* The thread leaves its CPU: by the steps. @schedule_ns is when it began to
 * decide so, 0 if unknown.
 */
void thread_leaves(struct thread *thread, uint64_t time_ns,
		   uint64_t schedule_ns);

/* The second life of a thread, in which it has just been announced to leave
 * its CPU, leaves it: by the steps, which have it under the id that is gone.
 */
void thread_inherits(struct thread *thread, uint64_t time_ns);

/* The thread comes to @cpu: by the steps. */
void thread_comes(struct thread *thread, uint64_t time_ns, int32_t cpu);

/* Keeps what a thread's open functions tell of its time beside their work:
 * whether it is in user space, and whether the bottom of its stack was seen.
 *
 * Takes a STEP_ENTER or STEP_EXIT.  Returns whether one of these changed.
 */
bool thread_frames_take(struct thread *thread,
			const struct context_kinds *kinds,
			const struct call_step *step);

/* Returns whether the innermost open function is one of user space. */
bool thread_frames_in_user(const struct thread *thread);

#endif
