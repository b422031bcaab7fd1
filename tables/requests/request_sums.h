/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_SUMS_H
#define KT_TABLES_REQUEST_SUMS_H

#include "attribution/requests/thread_clock.h"

#include <stdint.h>

struct array;
struct hold;
struct request;
struct task;

/* Where the time of one request went.  wall_ns is the sum of client_ns,
 * client_wait_ns, remote_ns, queue_ns and way_ns[]: at each moment somebody has
 * it.
 */
struct request_sums {
	uint64_t begin_ns;  /* its client begins to send it */
	uint64_t wall_ns;   /* until the client has the answer; without one:
			    * until the last server is done with it */
	uint64_t client_ns; /* the client sends it, and takes the answer */
	uint64_t client_wait_ns; /* and could not meanwhile: it waited for a CPU,
				  * or the answer for it */
	/* Of SIDE_CLIENT: sent, and the answer has not come. */
	uint64_t remote_ns;
	uint64_t queue_ns; /* sent, and no thread has it */
	/* By enum request_part, of the threads that had it one after the
	 * other; PART_IDLE: they waited for other messages, mostly of servers
	 * that they asked in turn.
	 */
	uint64_t way_ns[REQUEST_PARTS];
	/* Of threads that worked for it beside that, or after the answer. */
	uint64_t beside_ns[REQUEST_PARTS];
};

/* Adds up a request that was handed out.  Returns 0 or -ERROR_MEMORY. */
int request_sums_of(const struct request *request, struct request_sums *sums);

/* A stretch of one thread's life in which a request was on its way there. */
struct request_stretch {
	const struct task *task;
	/* Whose message woke it as that began, and by which function it was
	 * sent; NULL: that is not known.
	 */
	const struct task *waker;
	uint32_t waker_function;
	const struct thread_clock *clock; /* the thread's */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Appends to @stretches (struct request_stretch) the way of one that was handed
 * out: what its way_ns are of.  Returns 0 or -ERROR_MEMORY.
 */
int request_way_of(const struct request *request, struct array *stretches);

/* Sets @parts to what @hold's thread did in it, all of which is known. */
void hold_parts(const struct hold *hold, uint64_t parts[REQUEST_PARTS]);

#endif
