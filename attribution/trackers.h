/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TRACKERS_H
#define KT_ATTRIBUTION_TRACKERS_H

#include "attribution/time/task_time.h"
#include "report/steps/time_window.h"

struct arch;
struct attribution_input;
struct event_handler;
struct interrupt_accounts;
struct request_callback;
struct requests;
struct step_join;
struct task_listener;
struct task_tracker;
struct thread_tracker;
struct wait_channels;

/* All that is followed in one pass over a recording, each thing once, however
 * many tables are made of it.  Tables ask for it when they are opened; what
 * nobody asks for is not followed.
 */
struct trackers;

struct trackers_options {
	/* Copied, but what it borrows; NULL: there is no recording. */
	const struct attribution_input *input;
	struct task_time_options time;
	const struct arch *arch;
	bool results_are_behind; /* see task_tracker.h */
};

/* Return NULL when out of memory. */
struct trackers *trackers_new(const struct attribution_input *input);
struct trackers *trackers_new_with(const struct trackers_options *options);
void trackers_free(struct trackers *trackers);

/* Forgets all threads and tasks: another recording with the same functions
 * begins, of which @evidence says what it can tell.  Interrupt work and requests
 * must not have been asked for.  Returns 0, or -ERROR_MEMORY: they can then only be
 * freed.
 */
int trackers_renew(struct trackers *trackers,
		   const struct off_cpu_evidence *evidence);

/* These are asked for before the pass.  They return NULL when out of memory;
 * owner: the trackers.
 *
 * What threads do.
 */
struct thread_tracker *trackers_threads(struct trackers *trackers);

/* System calls and sleeps, with user stacks. */
struct task_tracker *trackers_tasks(struct trackers *trackers,
				    struct task_listener *listener);

/* The same without user stacks, unless somebody else asks for them. */
struct task_tracker *trackers_plain_tasks(struct trackers *trackers,
					  struct task_listener *listener);

/* Interrupt work, and for whom it was, in the input's window. */
struct interrupt_accounts *trackers_interrupts(struct trackers *trackers);

/* Requests, whatever the input's window. */
struct requests *trackers_requests(struct trackers *trackers,
				   struct request_callback *callback);

/* Where tasks wait. */
const struct wait_channels *trackers_wait_channels(struct trackers *trackers);

/* @handler, a table's, sees the pass, too: behind all that is followed, and behind
 * those before it.  Borrows it.  Returns 0 or -ERROR_MEMORY.
 */
int trackers_follow(struct trackers *trackers, struct event_handler *handler);

/* Returns all that have to see the pass, in this order, and *@count; as long as
 * nothing else is asked for.
 */
struct event_handler *const *trackers_handlers(const struct trackers *trackers,
					       size_t *count);

/* Returns these joined with the events of the recording, for a pass over it; NULL
 * when out of memory.
 */
struct step_join *trackers_join(const struct trackers *trackers);

/* Hands out what has not ended, after the last step and before the tables end.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int trackers_end(struct trackers *trackers);

#endif
