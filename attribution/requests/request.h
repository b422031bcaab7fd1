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

/* Which sides of a request are in the recording. A request over a TCP
 * connection to another machine has only one.
 */
enum request_side {
	SIDE_BOTH,
	SIDE_CLIENT,
	SIDE_SERVER,
	REQUEST_SIDES,
};

/* A message that other threads worked for, until its answer arrived. */
struct request {
	uint64_t number; /* from 1, in the order of creation */
	/* the request that its sender worked for, or NULL */
	struct request *parent;
	struct hold *origin; /* the sender's segment when it was sent */
	/* found_ns of its sender's struct party at that time */
	uint64_t found_ns;
	uint64_t taken_ns;	   /* when it was first read; 0: unknown */
	uint32_t wakes;		   /* see struct message */
	const struct task *client; /* NULL: SIDE_SERVER */
	/* The thread that answered, else the last reader; NULL: SIDE_CLIENT. */
	const struct task *server;
	uint8_t kind;
	uint8_t medium;
	bool is_answered; /* the answer was sent */
	bool is_ended;	  /* the answer was read, or none is expected */
	bool is_swapped;  /* perhaps answered by another thread of the server */
	bool is_inferred;
	/* It was one of several that may have woken its server, and the answer
	 * has not confirmed yet that it did.
	 */
	bool is_polled;
	bool has_children; /* its servers sent requests for it */
	bool is_opening;   /* see struct message: @parent is final */
	bool is_one_way;   /* a message by a pipe that is never answered */
	/* its client received the answer to another request */
	bool is_overtaken;
	/* Its reader waits for the next message, and no other thread works for
	 * it.
	 */
	bool is_left;
	/* Its client received the answer to a later request, or sent a later
	 * one after a sleep, and this one was left (is_left).
	 */
	bool is_passed;
	uint8_t side;	 /* enum request_side */
	uint64_t socket; /* the client's, 0: unknown */
	/* For TCP, if has_connection. */
	bool has_connection;
	bool has_position;
	struct connection connection;
	/* bytes that its client had sent on the connection before */
	uint64_t position;
	/* SIDE_CLIENT: arrival of the answer; 0: unknown */
	uint64_t arrived_ns;
	struct clock_mark *begin;
	struct clock_mark *sent;
	struct array holds; /* struct hold *, with references */
	/* the newest segment on its path, one of holds */
	struct hold *last;
	struct clock_mark *answered; /* when the answer was sent */
	/* when the client starts to read the answer */
	struct clock_mark *heard;
	struct clock_mark *end; /* when the client has read it */
	uint32_t references;
};

struct request *request_refer(struct request *request);
void request_drop(struct request *request); /* NULL is allowed. */

/* Creates the request that @message is. Returns it with one reference, which
 * the caller owns; NULL when out of memory.
 */
struct request *request_new(struct message *message);

/* Records that @request was sent for @parent. */
void request_set_parent(struct request *request, struct request *parent);

/* Returns whether all times of an ended request are known. */
bool request_is_settled(const struct request *request);

/* Removes its segments. They refer to the request, so it cannot be freed
 * before.
 */
void request_clear(struct request *request);

/* Returns whether an answer to one of the requests, from the same server to the
 * same client, may be the answer to the other: not if their sockets differ.
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

/* Request lists are sorted oldest first and hold references. At most a few
 * dozen are kept; the oldest are ended.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int request_list_add(struct array *list, struct request *request);

/* Removes and returns the request at @index; the caller owns the reference. */
struct request *request_list_take(struct array *list, size_t index);

/* Removes all requests that are answered or ended. */
void request_list_forget_closed(struct array *list);

void request_list_free(struct array *list);

/* Returns the request at @index. */
static inline struct request *request_in(const struct array *list, size_t index)
{
	return *(struct request **)array_at(list, index);
}

#endif
