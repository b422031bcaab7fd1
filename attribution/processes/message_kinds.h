/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_MESSAGE_KINDS_H
#define KT_ATTRIBUTION_MESSAGE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct path_frame;

/* This is what a kernel function has to do with messages between processes. */
enum message_kind {
	MESSAGE_NONE,
	MESSAGE_SEND,	      /* hands one over itself: pipe, Unix socket */
	MESSAGE_SEND_NETWORK, /* by the network's soft interrupts */
	MESSAGE_WAIT,	      /* waits for one */
	MESSAGE_WAIT_MANY,    /* waits for one on any of several */
};

/* Returns whether functions of @kind wait for messages. */
static inline bool message_kind_waits(enum message_kind kind)
{
	return kind == MESSAGE_WAIT || kind == MESSAGE_WAIT_MANY;
}

/* The kind of each function of a recording, by its number. */
struct message_kinds;

/* Looks at all @functions once.  Returns NULL when out of memory. */
struct message_kinds *message_kinds_new(const struct function_table *functions);
void message_kinds_free(struct message_kinds *kinds);

enum message_kind message_kind_of(const struct message_kinds *kinds,
				  uint32_t function);

/* Returns what the innermost of the @count open functions at @path that has to
 * do with messages does.
 */
enum message_kind message_kind_of_path(const struct message_kinds *kinds,
				       const struct path_frame *path,
				       size_t count);

#endif
