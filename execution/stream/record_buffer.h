/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RECORD_BUFFER_H
#define KT_EXECUTION_RECORD_BUFFER_H

#include "execution/follow/record_feed.h"

#include <stddef.h>

/* A growing array of records, megabytes large, that is filled again and again.
 * It has pages of its own: growing moves them without copying, and they are
 * kept between uses. Memory of malloc() in a thread would be copied when it
 * grows, returned to the kernel and page-faulted in again each time.
 */
struct record_buffer {
	union timed_record *records;
	size_t count;
	size_t room;
};

/* Ensures room for @more records after the present ones, which may move.
 * Returns the address of the first free one, or NULL when out of memory.
 */
union timed_record *record_buffer_room(struct record_buffer *buffer,
				       size_t more);

/* Frees the memory; the buffer is then zeroed, which is a valid empty one. */
void record_buffer_free(struct record_buffer *buffer);

#endif
