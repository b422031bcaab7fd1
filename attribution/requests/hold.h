/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_HOLD_H
#define KT_ATTRIBUTION_HOLD_H

#include <stdbool.h>
#include <stdint.h>

struct clock_mark;
struct request;
struct task;
struct thread_clock;

/* A stretch of one thread's life in which it works for one request, or for
 * nobody known.  Where the request comes from another stretch, of this thread
 * or of another, that is its parent: so the way of a request from who took it
 * to who answered it is known from behind.
 */
struct hold {
	const struct task *task;
	const struct thread_clock *clock; /* the thread's */
	struct request *request;	  /* referred to; NULL: nobody's */
	struct hold *parent;		  /* referred to; or NULL */
	uint32_t length; /* of the way here, at most: parents of parents */
	struct clock_mark *begin;
	struct clock_mark *end; /* NULL: it goes on */
	/* The thread was woken, or began to read: what went before tells
	 * nothing of whom it works for.
	 */
	bool is_start;
	/* Who sent what woke the thread as it began, or NULL; and by which
	 * function.
	 */
	const struct task *waker;
	uint32_t waker_function;
	/* It waits: it belongs to what went before, until it takes a message. */
	bool is_waiting;
	bool is_carrier;  /* a kworker's, that had a message meanwhile, or: */
	bool is_deferred; /* did what another thread had queued */
	bool is_parent;	  /* of another, or was */
	bool is_charged;  /* its request was handed out */
	bool is_answer;	  /* it ended as the answer to its request was sent */
	uint32_t references;
};

struct hold *hold_refer(struct hold *hold);
void hold_drop(struct hold *hold); /* NULL is allowed */

/* Begins one for nobody.  Borrows @clock; takes the reference to @begin.  NULL
 * when out of memory.
 */
struct hold *hold_new(const struct task *task, const struct thread_clock *clock,
		      struct clock_mark *begin);

/* More parents than twice that are not kept. */
enum { MOST_PARENTS = 1024 };

/* Gives @hold to @request (NULL: nobody), as what follows on @parent (or NULL,
 * also if the way there leads through @hold), and takes it from whom it had.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int hold_give(struct hold *hold, struct request *request, struct hold *parent);

#endif
