/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_MESSAGE_H
#define KT_ATTRIBUTION_REQUESTS_MESSAGE_H

#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_mark;
struct function_marks;
struct function_table;
struct hold;
struct request;
struct task;

/* The role of a kernel function in messages between threads. */
enum message_kind {
	MESSAGE_NONE,
	MESSAGE_SEND,	 /* delivers a message, itself or by soft interrupts */
	MESSAGE_CONNECT, /* like MESSAGE_SEND, to an accepting socket */
	MESSAGE_SIGNAL,	 /* wakes the waiters of a word in memory (futex) */
	MESSAGE_COPY,	 /* copies a message to its reader */
	MESSAGE_MERGE,	 /* merges a packet into the previous one */
	MESSAGE_ITEM,	 /* executes a work item, which may carry a message */
	MESSAGE_FLUSH,	 /* the item queued after one that a thread waits for */
	MESSAGE_COMMIT,	 /* writes the journal for the thread that woke it */
	MESSAGE_WAIT,	 /* waits for a message and reads it */
	MESSAGE_MANY,	 /* waits for a message on any of several objects */
	MESSAGE_ACCEPT,	 /* waits for a connection */
	MESSAGE_WORD,	 /* waits for a word in memory */
};

/* The means by which a message is sent. */
enum message_medium {
	MEDIUM_UNKNOWN,
	MEDIUM_PIPE,
	MEDIUM_EVENTFD,
	MEDIUM_QUEUE, /* System V's and POSIX's message queues */
	MEDIUM_TTY,   /* terminals, whose data work items carry */
	MEDIUM_UNIX,  /* Unix sockets */
	MEDIUM_TCP,
	MEDIUM_UDP, /* and raw sockets */
	MEDIUM_FUTEX,
	MEDIA,
};

struct message_function {
	uint8_t kind;	/* enum message_kind */
	uint8_t medium; /* enum message_medium */
};

static inline bool message_kind_waits(enum message_kind kind)
{
	return kind >= MESSAGE_WAIT;
}

/* Returns whether the kind is only evidence within other calls. */
static inline bool message_kind_is_evidence(enum message_kind kind)
{
	return kind == MESSAGE_COPY || kind == MESSAGE_MERGE;
}

/* Returns whether the kind is about carrying messages of other threads. */
static inline bool message_kind_carries(enum message_kind kind)
{
	return kind >= MESSAGE_ITEM && kind <= MESSAGE_COMMIT;
}

/* Returns whether the medium is a socket, which has events of its own. */
static inline bool message_medium_is_socket(enum message_medium medium)
{
	return medium >= MEDIUM_UNIX && medium <= MEDIUM_UDP;
}

/* Returns its name, as "pipe"; "" for MEDIUM_UNKNOWN. */
const char *message_medium_name(enum message_medium medium);

/* Returns marks of all @functions, which the caller frees with free(); NULL
 * when out of memory.
 */
struct function_marks *
message_kinds_new(const struct function_table *functions);

/* Returns the role of @function by these marks: MESSAGE_NONE for most. */
struct message_function message_kinds_of(const struct function_marks *kinds,
					 uint32_t function);

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

/* Which message is in which packet, by the address of its struct sk_buff, and
 * which packet each CPU is delivering. Over the loopback device the packet that
 * is sent is also the one that is received and read. Memory grows with the
 * number of different addresses, which the kernel reuses.
 */
struct packets;

/* Returns NULL when out of memory. */
struct packets *packets_new(void);
void packets_free(struct packets *packets);

/* Records that @packet, which is newly sent, contains (the start of) @message,
 * with a reference; NULL: no known message. Returns 0 or -ERROR_MEMORY.
 */
int packets_set(struct packets *packets, uint64_t packet,
		struct message *message);

/* Returns the message in @packet, borrowed, or NULL. */
struct message *packets_find(const struct packets *packets, uint64_t packet);

/* Records that @packet is sent during the delivery of @delivered, thus from the
 * socket that @delivered arrives at. Returns 0 or -ERROR_MEMORY.
 */
int packets_set_reply(struct packets *packets, uint64_t packet,
		      struct message *delivered);

/* Returns the message during whose delivery @packet was sent, borrowed, or NULL.
 */
struct message *packets_find_delivered(const struct packets *packets,
				       uint64_t packet);

/* Records that @cpu delivers @packet in the soft interrupt number @softirq.
 * Returns 0 or -ERROR_MEMORY.
 */
int packets_deliver(struct packets *packets, int32_t cpu, uint64_t packet,
		    uint64_t softirq);

/* Returns the message that @cpu delivers in @softirq (0: none), borrowed, or
 * NULL.
 */
struct message *packets_delivered(const struct packets *packets, int32_t cpu,
				  uint64_t softirq);

/* The packet being delivered was merged into another: its address will be
 * reused.
 */
void packets_forget_delivered(struct packets *packets, int32_t cpu,
			      uint64_t softirq);

#endif
