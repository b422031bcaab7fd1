/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RECORD_BUFFER_H
#define KT_EXECUTION_RECORD_BUFFER_H

#include "execution/follow/record_feed.h"

#include <stddef.h>

/* Records that grow to megabytes, again and again: in pages of their own, which
 * move without being copied and stay from one time to the next.  The memory that a
 * thread has of malloc() would be fetched, copied and given back each time.
 */
struct record_buffer {
	union timed_record *records;
	size_t count;
	size_t room;
};

/* Makes room for @more records behind those that are there.  Returns where, or
 * NULL when out of memory.
 */
union timed_record *record_buffer_room(struct record_buffer *buffer,
				       size_t more);

/* A zeroed buffer is empty, and freed. */
void record_buffer_free(struct record_buffer *buffer);

#endif
