/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_H
#define KT_ATTRIBUTION_REQUESTS_H

#include "attribution/requests/thread_clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct event_handler;
struct function_table;
struct request;
struct task;
struct task_names;
struct thread_tracker;

/* Finds requests: follows messages from who sends them to who takes them and
 * back.
 *
 * A message is handed over by a function that sends (message_kinds.h).  Where
 * it goes tell, in this order:
 * - the kernel's events of sockets: the one that becomes ready in a send, and
 *   the one that is read, with how many bytes: this is exact;
 * - where sockets have none, the packets that leave in a send, are delivered and
 *   copied to a reader: exact;
 * - whom a send wakes from waiting for messages: exact, if it waited for one
 *   thing alone;
 * - who finds a message without having slept, and whose answer comes back, or
 *   finds the answer in turn: inferred.
 *
 * A message to a thread that waits for an answer of the sender's process is
 * that answer; any other is a request, or, within a process, hands one on.
 * Memory grows with the threads and with the messages under way.
 */
struct requests;

/* Takes each request when all of it is known; it lives for the call only. */
struct request_callback {
	void (*take)(struct request_callback *callback,
		     const struct request *request);
	/* Takes each stretch of threads' time, by what it is; or NULL. */
	void (*passed)(struct request_callback *callback,
		       const struct time_span *span, enum request_part part);
};

/* Borrowed, all of it. */
struct requests_options {
	struct thread_tracker *threads; /* take all before */
	const struct function_table *functions;
	const struct task_names *names;
	const char *recorder;	/* see recorder_task.h; NULL: nobody is it.  Its
			       * messages ask nobody */
	bool has_wakes;		/* who wakes whom; without, none is inferred */
	bool has_socket_events; /* sk_data_ready and those of lengths */
	/* What packets are sent, received and copied; of use without these. */
	bool has_packets;
	const char *sockets_path; /* connections before it; NULL: unknown */
};

struct requests_options
requests_options_of(const struct attribution_input *input);

/* Returns NULL when out of memory. */
struct requests *requests_new(const struct requests_options *options);
void requests_free(struct requests *requests);

/* Returns what has to see the pass, behind all that is followed. */
struct event_handler *requests_handler(struct requests *requests);

/* Hands all requests to @callback, which is borrowed, too.  Returns 0 or
 * -ERROR_MEMORY.
 */
int requests_listen(struct requests *requests,
		    struct request_callback *callback);

/* Hands out what is left, once, after the last step.  Returns 0 or
 * -ERROR_MEMORY.
 */
int requests_end(struct requests *requests);

/* Returns the thread of number @index, and what all its time went to in
 * *@parts (by enum request_part); NULL after the last; *@parts is NULL for one
 * that was never seen.  After requests_end().
 */
const struct task *requests_thread(const struct requests *requests,
				   size_t index, const uint64_t **parts);
size_t requests_thread_count(const struct requests *requests);

#endif
