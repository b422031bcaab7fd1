/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_SUMS_H
#define KT_TABLES_REQUEST_SUMS_H

#include "attribution/requests/request.h"

#include <stdint.h>

struct array;
struct hold;
struct request;
struct task;

/* The time of one request by state. wall_ns is the sum of client_ns,
 * client_wait_ns, remote_ns, queue_ns and way_ns[], since exactly one of them
 * counts at any time.
 */
struct request_sums {
	uint64_t begin_ns; /* start of the client's send */
	/* until the client has read the answer; without one: until the last
	 * server finishes
	 */
	uint64_t wall_ns;
	uint64_t client_ns; /* client sends it, and reads the answer */
	/* client was runnable for that, or the answer waited for it */
	uint64_t client_wait_ns;
	/* SIDE_CLIENT: from the send to the arrival of the answer. */
	uint64_t remote_ns;
	uint64_t queue_ns; /* sent, and no thread has read it */
	/* By enum request_part, of the threads that had it one after the other.
	 * PART_IDLE: they waited for other messages, mostly from servers to
	 * which they had sent requests.
	 */
	uint64_t way_ns[REQUEST_PARTS];
	/* Of threads that worked for it in parallel, or after the answer. */
	uint64_t beside_ns[REQUEST_PARTS];
};

/* Sums up @request, as a callback received it. Returns 0 or -ERROR_MEMORY. */
int request_sums_of(const struct request *request, struct request_sums *sums);

/* An interval in which one thread had a request. */
struct request_stretch {
	const struct task *task;
	/* Sender of the message that woke the thread at the start, and its
	 * sending function; NULL: unknown.
	 */
	const struct task *waker;
	uint32_t waker_function;
	const struct thread_clock *clock; /* of the thread */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Appends to @stretches (struct request_stretch) the intervals that way_ns of
 * @request are summed from. Returns 0 or -ERROR_MEMORY.
 */
int request_way_of(const struct request *request, struct array *stretches);

/* Sets @parts to the thread's time in @hold by part; all of it must be known.
 */
void hold_parts(const struct hold *hold, uint64_t parts[REQUEST_PARTS]);

#endif
