/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_THREAD_EVENTS_H
#define KT_ATTRIBUTION_THREAD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct context_kinds;
struct thread;

/* These functions apply the scheduler's events about a thread, in their order.
 * They arrive shortly before or after the steps that show the same change.
 */

/* The thread is woken by @waker_tid. */
void thread_wakes(struct thread *thread, uint64_t time_ns, int32_t waker_tid);

/* The thread runs again. If no wake-up was recorded, infers that @waker_tid
 * woke it without an event.
 */
void thread_wakes_unseen(struct thread *thread, uint64_t time_ns,
			 int32_t waker_tid);

/* The thread is created: it waits for its first CPU. */
void thread_begins(struct thread *thread, uint64_t time_ns);

/* The thread is about to leave @cpu in @prev_state (of sched_switch), or has
 * just left it. @is_traced: the steps show when.
 *
 * Returns whether it was dead. This happens on exec in a thread that is not the
 * first of its process: it takes over the id of the first thread, and this is
 * the first event of its second life.
 */
bool thread_announces(struct thread *thread, uint64_t time_ns, int32_t cpu,
		      int64_t prev_state, bool is_traced);

/* The thread moves to @cpu, which has no steps. */
void thread_goes_away(struct thread *thread, uint64_t time_ns, int32_t cpu);

/* The thread leaves its CPU, according to the steps. @schedule_ns is when the
 * scheduler was entered, 0 if unknown.
 */
void thread_leaves(struct thread *thread, uint64_t time_ns,
		   uint64_t schedule_ns);

/* A thread in its second life (see thread_announces()), whose departure has
 * just been announced, leaves its CPU according to the steps, which show it
 * under its old id.
 */
void thread_inherits(struct thread *thread, uint64_t time_ns);

/* The thread arrives on @cpu, according to the steps. */
void thread_comes(struct thread *thread, uint64_t time_ns, int32_t cpu);

/* Tracks facts from a thread's open functions other than its contexts: whether
 * it is in user space, and whether the bottom of its stack was seen.
 *
 * Consumes a STEP_ENTER or STEP_EXIT. Returns whether one of these facts
 * changed.
 */
bool thread_frames_take(struct thread *thread,
			const struct context_kinds *kinds,
			const struct call_step *step);

/* Returns whether the innermost open function is in user space. */
bool thread_frames_in_user(const struct thread *thread);

#endif
