/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_DEFERRED_H
#define KT_ATTRIBUTION_REQUESTS_DEFERRED_H

struct call_step;
struct event_record;
struct hold;
struct party;
struct requests;

/* Deferred work: a thread that works for a request queues a work item, or sends
 * a request to the disk, whose interrupt queues an item, or wakes the journal's
 * thread. The kworker or that thread then works for the same request, beside
 * the first thread. That work is on the request's path if the first thread
 * sleeps until the work wakes it.
 */

/* Applies a request to a block device. */
void requests_deferred_asked(struct requests *requests,
			     const struct event_record *event);

/* @party (NULL: no task) or an interrupt queues the item of @event, which
 * carries no message.
 */
void requests_deferred_queued(struct requests *requests,
			      const struct party *party,
			      const struct event_record *event);

/* A kworker starts the item of @event. */
void requests_deferred_begins(struct requests *requests,
			      const struct event_record *event);

/* @worker enters or leaves a function that executes items, executes an item
 * that a thread waits for, or writes the journal.
 */
void requests_deferred_step(struct requests *requests, struct party *worker,
			    const struct call_step *step);

/* @woken (NULL: a thread not seen before), which does not wait for a message,
 * is woken.
 */
void requests_deferred_wakes(struct requests *requests,
			     const struct event_record *event,
			     struct party *woken);

/* Assigns the work that the thread of @hold deferred during @hold to the same
 * request as @hold has now.
 */
void requests_deferred_follow(struct requests *requests,
			      const struct hold *hold);

void requests_deferred_open(struct requests *requests);
void requests_deferred_free(struct requests *requests);

#endif
