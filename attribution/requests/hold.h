/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_HOLD_H
#define KT_ATTRIBUTION_HOLD_H

#include <stdbool.h>
#include <stdint.h>

struct clock_mark;
struct request;
struct task;
struct thread_clock;

/* A work segment: an interval of one thread's life in which it works for one
 * request, or for none that is known. If the request was passed on from another
 * segment, of this or another thread, that one is the parent. Following the
 * parents from the segment that sent the answer yields the request's path back
 * to the thread that took it.
 */
struct hold {
	const struct task *task;
	const struct thread_clock *clock; /* of the thread */
	struct request *request;	  /* holds a reference; NULL: none */
	struct hold *parent;		  /* holds a reference; or NULL */
	uint32_t length; /* upper bound of the number of ancestors */
	struct clock_mark *begin;
	struct clock_mark *end; /* NULL: still open */
	/* The thread was woken or started to read: earlier segments are no
	 * evidence of its request.
	 */
	bool is_start;
	/* The sender that woke the thread at the start, or NULL; and the
	 * function that it woke with.
	 */
	const struct task *waker;
	uint32_t waker_function;
	/* The thread waits: the segment belongs to the previous one until it
	 * takes a message.
	 */
	bool is_waiting;
	bool is_carrier;  /* of a kworker that carried a message */
	bool is_deferred; /* executed work that another thread had queued */
	bool is_parent;	  /* is or was the parent of a segment */
	bool is_charged;  /* its request was emitted */
	bool is_answer;	  /* it ended when the answer to its request was sent */
	uint32_t references;
};

struct hold *hold_refer(struct hold *hold);
void hold_drop(struct hold *hold); /* NULL is allowed. */

/* Creates a segment without a request. Borrows @clock; consumes the reference
 * to @begin. Returns NULL when out of memory.
 */
struct hold *hold_new(const struct task *task, const struct thread_clock *clock,
		      struct clock_mark *begin);

/* At most twice as many ancestors are kept. */
enum { MOST_PARENTS = 1024 };

/* Assigns @hold to @request (NULL: none) with the parent @parent, and removes
 * it from its previous request. @parent may be NULL, and counts as NULL if
 * @hold is among its ancestors.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int hold_give(struct hold *hold, struct request *request, struct hold *parent);

#endif
