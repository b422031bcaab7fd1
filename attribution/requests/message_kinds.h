/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_MESSAGE_KINDS_H
#define KT_ATTRIBUTION_MESSAGE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

struct function_marks;
struct function_table;

/* This is what a kernel function has to do with messages between threads. */
enum message_kind {
	MESSAGE_NONE,
	MESSAGE_SEND,	 /* hands one over, itself or by soft interrupts */
	MESSAGE_CONNECT, /* the same, to one that accepts connections */
	MESSAGE_SIGNAL,	 /* wakes those who wait for a word in memory */
	MESSAGE_COPY,	 /* copies what is read to who reads it */
	MESSAGE_MERGE,	 /* a packet was added to the one before it */
	MESSAGE_ITEM,	 /* executes a work item, which may carry one */
	MESSAGE_FLUSH,	 /* the item behind one that somebody waits for */
	MESSAGE_COMMIT,	 /* writes what others wait for, as who woke it asked */
	MESSAGE_WAIT,	 /* takes one, and waits for it */
	MESSAGE_MANY,	 /* waits for one on any of several */
	MESSAGE_ACCEPT,	 /* waits for a connection */
	MESSAGE_WORD,	 /* waits for a word in memory */
};

/* By what a message goes. */
enum message_medium {
	MEDIUM_UNKNOWN,
	MEDIUM_PIPE,
	MEDIUM_EVENTFD,
	MEDIUM_QUEUE, /* System V's and POSIX's message queues */
	MEDIUM_TTY,   /* terminals, of which work items carry it */
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

/* Returns whether it only tells what happens in others. */
static inline bool message_kind_is_evidence(enum message_kind kind)
{
	return kind == MESSAGE_COPY || kind == MESSAGE_MERGE;
}

/* Returns whether it is about what carries messages, not about the thread's own.
 */
static inline bool message_kind_carries(enum message_kind kind)
{
	return kind >= MESSAGE_ITEM && kind <= MESSAGE_COMMIT;
}

/* Returns whether sockets carry it, which have events of their own. */
static inline bool message_medium_is_socket(enum message_medium medium)
{
	return medium >= MEDIUM_UNIX && medium <= MEDIUM_UDP;
}

/* Returns its name, as "pipe"; "" for MEDIUM_UNKNOWN. */
const char *message_medium_name(enum message_medium medium);

/* Marks all @functions, once, to be freed by free(); NULL when out of memory. */
struct function_marks *
message_kinds_new(const struct function_table *functions);

/* Returns what @function does by these marks: MESSAGE_NONE of most. */
struct message_function message_kinds_of(const struct function_marks *kinds,
					 uint32_t function);

#endif
