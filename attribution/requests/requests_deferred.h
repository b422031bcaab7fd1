/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_DEFERRED_H
#define KT_ATTRIBUTION_REQUESTS_DEFERRED_H

struct call_step;
struct event_record;
struct hold;
struct party;
struct requests;

/* Deferred work: a thread that works for a request queues a work item, or asks
 * something of the disk, whose interrupt queues one, or wakes the thread of the
 * journal.  What the kworker or that thread does then is for the same request,
 * beside what the first does, but on the request's way if that sleeps until it is
 * woken by it.
 */

/* @party asks a block device for something. */
void requests_deferred_asked(struct requests *requests,
			     const struct event_record *event);

/* @party (NULL: no task's) or an interrupt queues the item of @event, which carries
 * no message.
 */
void requests_deferred_queued(struct requests *requests,
			      const struct party *party,
			      const struct event_record *event);

/* A kworker begins the item of @event. */
void requests_deferred_begins(struct requests *requests,
			      const struct event_record *event);

/* A function that executes items, or one that somebody waits for, or that writes the
 * journal is entered or left by @worker.
 */
void requests_deferred_step(struct requests *requests, struct party *worker,
			    const struct call_step *step);

/* @woken (NULL: a thread that has not been seen), which waits for no message, is
 * woken.
 */
void requests_deferred_wakes(struct requests *requests,
			     const struct event_record *event,
			     struct party *woken);

/* What @hold's thread deferred meanwhile is for the same as it is now. */
void requests_deferred_follow(struct requests *requests,
			      const struct hold *hold);

void requests_deferred_open(struct requests *requests);
void requests_deferred_free(struct requests *requests);

#endif
