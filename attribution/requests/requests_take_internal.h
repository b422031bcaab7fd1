/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUESTS_TAKE_INTERNAL_H
#define KT_ATTRIBUTION_REQUESTS_REQUESTS_TAKE_INTERNAL_H

#include "attribution/requests/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_step;
struct event_record;
struct requests;
struct thread_endpoint;

/* Returns whether there are socket events for the send of @endpoint. */
bool requests_has_events(const struct requests *requests,
			 const struct thread_endpoint *endpoint);

/* Handle that @endpoint enters, or leaves, a function that sends. */
void requests_send_begin(struct requests *requests,
			 struct thread_endpoint *endpoint,
			 struct message_function function,
			 const struct call_step *step);
void requests_send_end(struct requests *requests,
		       struct thread_endpoint *endpoint, uint64_t time_ns);

/* Records that the exit of the send was not seen in the trace: after a gap, the
 * send may continue.
 */
void requests_send_lost(struct requests *requests,
			struct thread_endpoint *endpoint, uint64_t time_ns);

/* Returns whether @step continues a send that contains a gap; any other step
 * ends the send.
 */
bool requests_send_resumes(struct requests *requests,
			   struct thread_endpoint *endpoint,
			   const struct call_step *step);

/* Creates the message of the send of @endpoint, delivered at @time_ns: its
 * segment ends there, since the receiver may have waited for the thread's work
 * until then. Borrowed; NULL when out of memory.
 */
struct message *requests_deliver(struct requests *requests,
				 struct thread_endpoint *endpoint,
				 uint64_t time_ns);

/* Like requests_deliver(), but at @mark, whose reference it consumes; NULL
 * when out of memory.
 */
struct message *requests_deliver_at(struct requests *requests,
				    struct thread_endpoint *endpoint,
				    struct clock_mark *mark);

/* Returns the message by which @waker completes an operation of an io_uring for
 * @woken, which waits for that; the caller owns it. NULL: it does not.
 */
struct message *requests_completion(struct requests *requests,
				    struct thread_endpoint *waker,
				    const struct thread_endpoint *woken,
				    uint64_t time_ns);

/* Lists the message of the send of @endpoint as one whose reader must be
 * inferred, unless it wakes a thread.
 */
void requests_list_unheard(struct requests *requests,
			   struct thread_endpoint *endpoint);

/* Returns the next endpoint except @reader that is in a send by @medium whose
 * delivery no event shows, and advances *@index, initially 0; NULL after the
 * last.
 */
struct thread_endpoint *
requests_next_sender(const struct requests *requests,
		     const struct thread_endpoint *reader,
		     enum message_medium medium, size_t *index);

/* Delivers the messages that endpoints except @reader are sending by @medium,
 * which may already have arrived. Returns whether there was one.
 */
bool requests_deliver_open(struct requests *requests,
			   const struct thread_endpoint *reader,
			   enum message_medium medium, uint64_t time_ns);

/* Work items that carry messages: a thread that writes to a terminal queues
 * one, and the kworker that executes it delivers the data. During the item the
 * kworker works for the same request.
 */

/* Apply EVENT_WORK_QUEUE and EVENT_WORK_BEGIN: a task queues an item; a kworker
 * starts one.
 */
void requests_item_queued(struct requests *requests,
			  const struct event_record *event);
void requests_item_begins(struct requests *requests,
			  const struct event_record *event);

/* Applies the entry or exit of a function of which message_kind_carries() is
 * true.
 */
void requests_item_step(struct requests *requests,
			const struct call_step *step);

/* Returns the message that @waker carries when it wakes @woken, which waits for
 * one; borrowed, or NULL.
 */
struct message *requests_item_message(struct requests *requests,
				      struct thread_endpoint *waker,
				      const struct thread_endpoint *woken,
				      uint64_t time_ns);

/* Returns the message that @receiver found by @medium without being woken, if
 * it can be inferred; the caller owns the reference. NULL if it cannot.
 * @is_polled: the receiver waited for several objects.
 */
struct message *requests_find_unheard(struct requests *requests,
				      struct thread_endpoint *receiver,
				      enum message_medium medium,
				      bool is_polled);

/* Marks two requests as perhaps swapped: a thread of a server passed them to
 * two other threads, and both were answered before either client read its
 * answer. Which thread got which request is decided in user space, by the order
 * in which they get a lock, so nothing distinguishes the two. @answer, which
 * woke no thread, is the answer to one of them.
 */
void requests_mark_swapped(const struct requests *requests,
			   const struct message *answer);

/* Records that @endpoint reads @message: @message is the answer that @endpoint
 * waits for, or the request for which @endpoint works from now on. All kinds of
 * evidence about readers lead to this function.
 */
void requests_take(struct requests *requests, struct thread_endpoint *endpoint,
		   struct message *message, uint64_t time_ns);

/* Records that @endpoint has read @request and works for it from now on. */
void requests_serve(struct requests *requests, struct thread_endpoint *endpoint,
		    struct request *request, uint64_t time_ns);

/* Records that @endpoint has read the answer to @request, and continues the
 * work for which it sent @request.
 */
void requests_take_answer(struct requests *requests,
			  struct thread_endpoint *endpoint,
			  struct request *request, uint64_t time_ns);

/* Records that @endpoint goes on to its next message: updates is_left of the
 * requests that it took.
 */
void requests_next(const struct requests *requests,
		   struct thread_endpoint *endpoint);

/* Like requests_next(), for a message that wakes @endpoint: first ends the
 * requests that it took if their clients no longer wait for an answer.
 */
void requests_pass(const struct requests *requests,
		   struct thread_endpoint *endpoint);

#endif
