/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_MESSAGE_H
#define KT_ATTRIBUTION_MESSAGE_H

#include "attribution/requests/message_kinds.h"
#include "common/array.h"
#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_mark;
struct hold;
struct request;
struct task;

/* One message, from being sent to being read. */
struct message {
	const struct task *sender;
	/* the thread that it woke or that read it; or NULL */
	const struct task *receiver;
	struct hold *hold; /* the sender's segment, which ended with the send */
	struct clock_mark *begin;
	struct clock_mark *sent;
	/* The segment of a kworker that carried it, and the time at which the
	 * kworker woke the receiver; or NULL.
	 */
	struct hold *carrier;
	struct clock_mark *carried;
	/* work item that carries it, always to the same end; 0: unknown */
	uint64_t item;
	int32_t reader;	   /* the process that reads that end; 0: unknown */
	uint32_t function; /* the function that sent it */
	uint32_t wakes;	   /* wake-ups of its sender before the send */
	uint8_t kind;	   /* enum message_kind */
	uint8_t medium;	   /* enum message_medium */
	bool is_taken;
	bool is_inferred;
	bool is_polled;	 /* its receiver waited for several objects */
	bool is_opening; /* the first on a connection made for a request */
	/* Packets determine its reader, unless they were merged into others. */
	bool has_packets;
	bool is_merged;	      /* its packets were merged */
	uint64_t from;	      /* the sender's socket, 0: unknown */
	uint64_t to;	      /* the receiver's socket */
	uint64_t bytes;	      /* 0: unknown */
	uint64_t taken_bytes; /* bytes already read */
	/* The request that it is, or the request that it answers; both NULL if
	 * undecided.
	 */
	struct request *asks;
	struct request *answers;
	uint32_t references;
};

struct message *message_refer(struct message *message);
void message_drop(struct message *message); /* NULL is allowed. */

/* Returns whether the reader of @message, by @medium, can only be inferred. */
bool message_is_guessable(const struct message *message,
			  enum message_medium medium);

/* Returns whether @message may be meant for @client. If @is_bold, also where it
 * is uncertain whether its sender works for another client.
 */
bool message_may_be_for(const struct message *message,
			const struct task *client, bool is_bold);

/* Returns whether @message was sent before @other, or @other is NULL. */
bool message_is_older(const struct message *message,
		      const struct message *other);

/* Message lists are sorted oldest first and hold references. At most @most
 * messages are kept, since very old unread ones are no evidence; the oldest are
 * removed.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int message_list_add(struct array *list, struct message *message, size_t most);
enum { MESSAGES_LISTED = 64 }; /* maximum for one thread */

/* Removes and returns the message at @index; the caller owns the reference. */
struct message *message_list_take(struct array *list, size_t index);

/* Remove @message; all messages that were read; all messages. */
void message_list_forget(struct array *list, const struct message *message);
void message_list_forget_taken(struct array *list);
void message_list_clear(struct array *list);

void message_list_free(struct array *list);

/* Maps of messages by number hold references. Sets the message of @key,
 * replacing any previous one; NULL removes it. Returns 0 or -ERROR_MEMORY.
 */
int message_map_set(struct number_map *map, uint64_t key,
		    struct message *message);

void message_map_free(struct number_map *map);

/* Returns the message at @index. */
static inline struct message *message_in(const struct array *list, size_t index)
{
	return *(struct message **)array_at(list, index);
}

#endif
