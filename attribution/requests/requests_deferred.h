/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUESTS_DEFERRED_H
#define KT_ATTRIBUTION_REQUESTS_REQUESTS_DEFERRED_H

#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct event_record;
struct hold;
struct requests;
struct task;
struct thread_endpoint;

/* Finds the kernel context in which something happens, not counting the tracer
 * and the scheduler.
 */

/* Returns the thread @tid, which runs on @cpu or did so last, or NULL. */
struct thread_endpoint *requests_endpoint_on(struct requests *requests,
					     int32_t cpu, int32_t tid,
					     uint64_t time_ns);

/* Returns the endpoint of the task in which @event happened, or NULL. */
struct thread_endpoint *requests_endpoint_at(struct requests *requests,
					     const struct event_record *event);

/* Returns the kernel context that @endpoint is in. */
enum context_kind requests_context_of(const struct requests *requests,
				      const struct thread_endpoint *endpoint);

/* Return the number of the soft interrupt that @task (or NULL) is in, or in
 * which @event happened; 0: none.
 */
uint64_t requests_softirq_of(const struct requests *requests,
			     const struct task *task);
uint64_t requests_softirq_at(const struct requests *requests,
			     const struct event_record *event);

/* Returns whether the current work of @endpoint is part of its send. Work of an
 * interrupt during the send is not, except of the soft interrupts that carry
 * network packets.
 */
bool requests_is_sending(const struct requests *requests,
			 const struct thread_endpoint *endpoint);

/* Requests to block devices, and the segments that sent them: an interrupt that
 * completes one may queue a work item, which a kworker executes.
 */

void requests_disk_done(struct requests *requests,
			const struct event_record *event);

void requests_disk_open(struct requests *requests);
void requests_disk_free(struct requests *requests);

/* Deferred work: a thread that works for a request queues a work item, or sends
 * a request to the disk, whose interrupt queues an item, or wakes the journal's
 * thread. The kworker or that thread then works for the same request, beside
 * the first thread. That work is on the request's path if the first thread
 * sleeps until the work wakes it.
 */

/* Applies a request to a block device. */
void requests_deferred_asked(struct requests *requests,
			     const struct event_record *event);

/* @endpoint (NULL: no task) or an interrupt queues the item of @event, which
 * carries no message.
 */
void requests_deferred_queued(struct requests *requests,
			      const struct thread_endpoint *endpoint,
			      const struct event_record *event);

/* A kworker starts the item of @event. */
void requests_deferred_begins(struct requests *requests,
			      const struct event_record *event);

/* @worker enters or leaves a function that executes items, executes an item
 * that a thread waits for, or writes the journal.
 */
void requests_deferred_step(struct requests *requests,
			    struct thread_endpoint *worker,
			    const struct call_step *step);

/* @woken (NULL: a thread not seen before), which does not wait for a message,
 * is woken.
 */
void requests_deferred_wakes(struct requests *requests,
			     const struct event_record *event,
			     struct thread_endpoint *woken);

/* Assigns the work that the thread of @hold deferred during @hold to the same
 * request as @hold has now.
 */
void requests_deferred_follow(struct requests *requests,
			      const struct hold *hold);

void requests_deferred_open(struct requests *requests);
void requests_deferred_free(struct requests *requests);

#endif
