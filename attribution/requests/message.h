/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_MESSAGE_H
#define KT_ATTRIBUTION_MESSAGE_H

#include "attribution/requests/message_kinds.h"
#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_mark;
struct hold;
struct request;
struct task;

/* One message, from being sent to being taken. */
struct message {
	const struct task *sender;
	const struct task *receiver; /* that it woke, or that took it; or NULL */
	struct hold *hold; /* the sender's, which ended as it was sent */
	struct clock_mark *begin;
	struct clock_mark *sent;
	/* Of a kworker that had it in between; and when its receiver was woken
	 * then, or NULL.
	 */
	struct hold *carrier;
	struct clock_mark *carried;
	uint64_t item;	   /* that carries it, always to one end; 0: unknown */
	int32_t reader;	   /* the process that reads there; 0: unknown */
	uint32_t function; /* that sends it */
	uint32_t wakes;	   /* so often its sender had been woken */
	uint8_t kind;	   /* enum message_kind */
	uint8_t medium;	   /* enum message_medium */
	bool is_taken;
	bool is_inferred;
	bool is_polled;	 /* its receiver waited for others as well */
	bool is_opening; /* the first on a connection made for a request */
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

/* Returns whether who took @message can only be guessed, by @medium. */
bool message_is_guessable(const struct message *message,
			  enum message_medium medium);

/* Returns whether @message may be for @client; @is_bold: also where it is not
 * certain that its sender works for another.
 */
bool message_may_be_for(const struct message *message,
			const struct task *client, bool is_bold);

/* Returns whether @message was sent before @other, or that is NULL. */
bool message_is_older(const struct message *message,
		      const struct message *other);

/* Lists of messages, oldest first, refer to them.  There are no more than
 * @most: what is not read then tells nothing, and the oldest give way.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int message_list_add(struct array *list, struct message *message, size_t most);
enum { MESSAGES_LISTED = 64 }; /* of one thread */

/* Takes the one at @index out; the reference is the caller's. */
struct message *message_list_take(struct array *list, size_t index);

/* Takes out @message; takes out all that somebody has read; all. */
void message_list_forget(struct array *list, const struct message *message);
void message_list_forget_taken(struct array *list);
void message_list_clear(struct array *list);

void message_list_free(struct array *list);

/* Maps of messages by number refer to them.  Sets that of @key in place of the one
 * before; NULL: none.  Returns 0 or -ERROR_MEMORY.
 */
int message_map_set(struct number_map *map, uint64_t key,
		    struct message *message);

void message_map_free(struct number_map *map);

/* Returns the one at @index. */
static inline struct message *message_in(const struct array *list, size_t index)
{
	return *(struct message **)array_at(list, index);
}

#endif
