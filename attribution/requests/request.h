/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUEST_H
#define KT_ATTRIBUTION_REQUEST_H

#include "common/array.h"
#include "common/connection.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_mark;
struct hold;
struct message;
struct task;

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
	bool is_opening;   /* see struct message: @parent is settled */
	bool is_one_way; /* a message by a pipe that nobody answers: see tell() */
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

/* @request was sent for @parent. */
void request_set_parent(struct request *request, struct request *parent);

/* Returns whether all times of an ended request are known by now. */
bool request_is_settled(const struct request *request);

/* Takes its holds away, without which it can be freed. */
void request_clear(struct request *request);

/* Returns whether an answer to one of them, from the same server to the same
 * client, may be the answer to the other: by different sockets it cannot.
 */
static inline bool request_shares_way(const struct request *request,
				      const struct request *other)
{
	return !request->socket || !other->socket ||
	       request->socket == other->socket;
}

/* Returns whether @request may still be answered. */
static inline bool request_is_open(const struct request *request)
{
	return !request->is_answered && !request->is_ended;
}

/* Lists of requests, oldest first, refer to them.  There are no more than a few
 * dozen: the oldest end then.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int request_list_add(struct array *list, struct request *request);

/* Takes the one at @index out; the reference is the caller's. */
struct request *request_list_take(struct array *list, size_t index);

/* Takes all out that are answered or over. */
void request_list_forget_closed(struct array *list);

void request_list_free(struct array *list);

/* Returns the one at @index. */
static inline struct request *request_in(const struct array *list, size_t index)
{
	return *(struct request **)array_at(list, index);
}

#endif
