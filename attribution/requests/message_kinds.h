/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_MESSAGE_KINDS_H
#define KT_ATTRIBUTION_MESSAGE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

struct function_marks;
struct function_table;

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

#endif
