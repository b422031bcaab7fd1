/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_H
#define KT_ATTRIBUTION_REQUESTS_H

/* Requests: which threads worked for a client's request, for how long, and in
 * which kinds of time (enum request_part).
 *
 *   steps, events, records (struct event_handler)
 *        |
 *        v
 *   requests_events.c       functions that send and wait, wake-ups, packets
 *   requests_sockets.c      socket events
 *        |  a thread has read a message
 *        v
 *   requests_take.c         whose message it is, or may be
 *        |
 *        v
 *   requests_answer.c       it is an answer, or a request
 *        |
 *        v
 *   struct request_callback: each request, when it is complete
 *
 * request.h has the values: requests, segments of work, messages, clocks of
 * threads. endpoint_internal.h has the state of each thread,
 * connections_internal.h what is known about sockets and about processes as
 * clients and servers; requests_state_internal.h holds all of it.
 *
 * Invariants:
 * 1. Each thread's time is in exactly one segment, and the time of a segment
 *    by part is the difference of two marks on the thread's clock.
 * 2. A message whose reader no event proves is inferred, and so is the request
 *    that it is.
 * 3. Each request is emitted once, at the latest by requests_end().
 *
 * One thread calls everything here. Errors other than lack of memory do not
 * occur: a recording that lacks events has fewer requests.
 */

#include "attribution/requests/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct event_handler;
struct task;

/* Finds requests: follows messages from their sender to their reader and back.
 *
 * A message is delivered by a function that sends (enum message_kind). Its
 * reader is found by the first of these that applies:
 * - the kernel's socket events: the socket that becomes ready in a send, and
 *   the socket that is read, with the number of bytes: exact;
 * - where there are no socket events, the packets that leave in a send, are
 *   delivered and are copied to a reader: exact;
 * - the thread that a send wakes from waiting for messages: exact, if it waited
 *   for one object only;
 * - a thread that finds a message without having slept, and whose answer
 *   arrives at the sender, or which itself finds the answer: inferred.
 *
 * A message to a thread that waits for an answer from the sender's process is
 * that answer; any other message is a request or, within a process, passes a
 * request on. Memory grows with the number of threads and of messages in
 * flight.
 */
struct requests;

struct requests_options
requests_options_of(const struct attribution_input *input);

/* Returns a finder of requests; NULL when out of memory. */
struct requests *requests_new(const struct requests_options *options);
void requests_free(struct requests *requests);

/* Returns the handler that must receive the pass after all trackers that
 * requests use (struct requests_options).
 */
struct event_handler *requests_handler(struct requests *requests);

/* Adds @callback, which is borrowed, for all requests. Returns 0 or
 * -ERROR_MEMORY.
 */
int requests_listen(struct requests *requests,
		    struct request_callback *callback);

/* Emits the remaining requests. Must be called once, after the last step.
 * Returns 0 or -ERROR_MEMORY.
 */
int requests_end(struct requests *requests);

/* Returns the thread of number @index, which must be below
 * requests_thread_count(), and sets *@parts to its total time by enum
 * request_part. For a number whose thread was never seen, returns NULL and sets
 * *@parts to NULL. Must be called after requests_end().
 */
const struct task *requests_thread(const struct requests *requests,
				   size_t index, const uint64_t **parts);
size_t requests_thread_count(const struct requests *requests);

#endif
