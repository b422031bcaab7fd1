/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUEST_H
#define KT_ATTRIBUTION_REQUEST_H

#include "attribution/requests/message_kinds.h"
#include "attribution/requests/thread_clock.h"
#include "common/array.h"
#include "common/connection.h"

#include <stdbool.h>
#include <stdint.h>

struct request;
struct task;

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
	bool is_parent;	 /* of another, or was */
	bool is_charged; /* its request was handed out */
	bool is_answer;	 /* it ended as the answer to its request was sent */
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

/* One message, from being sent to being taken. */
struct message {
	const struct task *sender;
	const struct task *receiver; /* that it woke, or that took it; or NULL */
	struct hold *hold; /* the sender's, which ended as it was sent */
	struct clock_mark *begin;
	struct clock_mark *sent;
	uint32_t function; /* that sends it */
	uint32_t wakes;	   /* so often its sender had been woken */
	uint8_t kind;	   /* enum message_kind */
	uint8_t medium;	   /* enum message_medium */
	bool is_taken;
	bool is_inferred;
	bool is_polled; /* its receiver waited for others as well */
	/* Packets tell who takes it, but if they were added to others. */
	bool has_packets;
	bool is_merged;	      /* they were */
	uint64_t from;	      /* the sender's socket, 0: unknown */
	uint64_t to;	      /* the receiver's */
	uint64_t bytes;	      /* 0: unknown */
	uint64_t taken_bytes; /* of these */
	/* What it turned out to be: asks, answers, or neither so far. */
	struct request *asks;
	struct request *answers;
	uint32_t references;
};

struct message *message_refer(struct message *message);
void message_drop(struct message *message); /* NULL is allowed */

/* Which sides of a request are in the recording.  Of one over a TCP connection
 * to another machine only one is.
 */
enum request_side {
	SIDE_BOTH,
	SIDE_CLIENT,
	SIDE_SERVER,
	REQUEST_SIDES,
};

/* A message for which others worked, until its answer came. */
struct request {
	uint64_t number;	   /* from 1, as it was taken */
	struct request *parent;	   /* that its sender worked for, or NULL */
	struct hold *origin;	   /* the sender's, when it sent it */
	uint64_t found_ns;	   /* its sender's work then: struct party */
	uint64_t taken_ns;	   /* first; 0: unknown */
	uint32_t wakes;		   /* of the message */
	const struct task *client; /* NULL: SIDE_SERVER */
	/* Who answered, else who took it last; NULL: SIDE_CLIENT. */
	const struct task *server;
	uint8_t kind;
	uint8_t medium;
	bool is_answered; /* the answer was sent */
	bool is_ended;	  /* and taken, or nobody waits for one */
	bool is_swapped;  /* perhaps another thread of its server answered */
	bool is_inferred;
	/* It was one of several that may have woken its server, and the answer
	 * has not told yet that it did.
	 */
	bool is_polled;
	bool has_children; /* its servers sent requests for it */
	bool is_overtaken; /* its client had an answer, to another one */
	/* Who took it waits for the next, and nobody else is at it. */
	bool is_left;
	/* Its client had an answer to one that it sent later, or has sent one
	 * after a sleep, and this one was left.
	 */
	bool is_passed;
	uint8_t side;	 /* enum request_side */
	uint64_t socket; /* the client's, 0: unknown */
	/* Of TCP, if has_connection. */
	bool has_connection;
	bool has_position;
	struct connection connection;
	uint64_t position; /* bytes that its client had sent there before it */
	uint64_t arrived_ns; /* SIDE_CLIENT: the answer came; 0: unknown */
	struct clock_mark *begin;
	struct clock_mark *sent;
	struct array holds;	     /* struct hold *, referred to */
	struct hold *last;	     /* the newest on its way, of holds */
	struct clock_mark *answered; /* the answer was sent */
	struct clock_mark *heard;    /* the client begins to take the answer */
	struct clock_mark *end;	     /* it has it */
	uint32_t references;
};

struct request *request_refer(struct request *request);
void request_drop(struct request *request); /* NULL is allowed */

/* Makes the request that @message is.  Returns it with one reference, the
 * caller's; NULL when out of memory.
 */
struct request *request_new(struct message *message);

/* Returns whether all times of an ended request are known by now. */
bool request_is_settled(const struct request *request);

/* Takes its holds away, without which it can be freed. */
void request_clear(struct request *request);

/* Return what is at @index of a list of messages or requests. */
static inline struct message *message_in(const struct array *list, size_t index)
{
	return *(struct message **)array_at(list, index);
}

static inline struct request *request_in(const struct array *list, size_t index)
{
	return *(struct request **)array_at(list, index);
}

/* Returns whether @request may still be answered. */
static inline bool request_is_open(const struct request *request)
{
	return !request->is_answered && !request->is_ended;
}

#endif
