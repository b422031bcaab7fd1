/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_DEFERRED_H
#define KT_ATTRIBUTION_REQUESTS_DEFERRED_H

#include <stdbool.h>

struct call_step;
struct event_record;
struct hold;
struct party;
struct requests;

/* Deferred work: a thread that works for a request queues a work item.  What the
 * kworker does that executes it is for the same request, beside what the thread
 * does, but on the request's way if the thread sleeps until the kworker wakes it.
 */

/* @party queues the item of @event, which carries no message. */
void requests_deferred_queued(struct requests *requests,
			      const struct party *party,
			      const struct event_record *event);

/* A kworker begins the item of @event. */
void requests_deferred_begins(struct requests *requests,
			      const struct event_record *event);

/* A function that executes items, or one that somebody waits for, is entered or
 * left by @worker.
 */
void requests_deferred_step(struct requests *requests, struct party *worker,
			    const struct call_step *step);

/* @woken, which waits for no message, is woken. */
void requests_deferred_wakes(struct requests *requests,
			     const struct event_record *event,
			     struct party *woken);

/* What @hold's thread deferred meanwhile is for the same as it is now. */
void requests_deferred_follow(struct requests *requests,
			      const struct hold *hold);

/* Returns false when out of memory; frees what is kept of it. */
bool requests_deferred_open(struct requests *requests);
void requests_deferred_free(struct requests *requests);

#endif
