/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUESTS_RING_INTERNAL_H
#define KT_ATTRIBUTION_REQUESTS_REQUESTS_RING_INTERNAL_H

/* Work that a process queues in an io_uring, and that threads of the kernel
 * execute in the process: they work for the thread that queued it, as inferred.
 */

#include "attribution/requests/request.h"

#include <stdbool.h>
#include <stdint.h>

struct requests;
struct task;
struct thread_endpoint;

/* @worker, a thread of the kernel in the process, executes entries of an
 * io_uring from @time_ns on: it now works for the message for which the thread
 * that queued them works. No event names that thread: if several could have,
 * nothing changes.
 */
void requests_execute(struct requests *requests, struct thread_endpoint *worker,
		      uint64_t time_ns);

/* Returns whether @task is in a function of @kind for an io_uring. */
bool requests_is_in(const struct requests *requests, const struct task *task,
		    enum message_kind kind);

/* Returns whether @endpoint reads or sends for an entry of an io_uring. */
bool requests_executes(const struct requests *requests,
		       const struct thread_endpoint *endpoint);

/* Returns the thread that queued the entries which @reader executes; NULL if
 * there is none, or several may have queued them.
 */
struct thread_endpoint *
requests_queuer_of(const struct requests *requests,
		   const struct thread_endpoint *reader);

/* Removes and returns the oldest message that woke @endpoint, matches what it
 * waits for, and arrived while @endpoint waited for several objects
 * (@is_polled) or only for this one; the caller owns the reference. Messages
 * that woke it for an entry of an io_uring come first if it executes one, and
 * last otherwise. NULL: none.
 */
struct message *requests_next_arrived(const struct requests *requests,
				      struct thread_endpoint *endpoint,
				      bool is_polled);

/* Removes and returns the message by @medium that woke the thread that queued
 * the entries which @reader executes, and that it has not read: one that woke
 * it for an entry, which is executed again after that, or else the oldest one
 * since which it may have queued an entry. The caller owns the reference. NULL:
 * there is none, or @reader executes no entries of another thread.
 */
struct message *requests_entry_message(const struct requests *requests,
				       const struct thread_endpoint *reader,
				       enum message_medium medium);

/* Returns the thread that sent @answer, or queued it in an io_uring for the
 * thread that did. If only the lack of another thread shows this, marks
 * @request as inferred and charges that thread's last work to it.
 */
const struct task *requests_queued(struct requests *requests,
				   struct request *request,
				   const struct message *answer);

#endif
