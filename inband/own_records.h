/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_RECORDS_H
#define KT_INBAND_OWN_RECORDS_H

#include <stddef.h>
#include <sys/types.h>

struct byte_buffer;
struct own_events;
struct part_bytes;
struct trace_tail;

/* Returns how much room a part needs for all that the rings can hold. */
size_t own_records_room(const struct own_events *events);

/* Empties the rings of records.  What tells of changes of the kernel's code is
 * appended to @changes; @part is cleared.
 */
void own_records_drop(struct own_events *events, struct part_bytes *part,
		      struct byte_buffer *changes);

/* The same, with all else in @part: its records, and behind them the trace of
 * @tid, which must be off, from @tail on.  That the buffer was full is a record,
 * as the recorder has it.
 */
void own_records_take(struct own_events *events, pid_t tid,
		      struct part_bytes *part, struct byte_buffer *changes,
		      struct trace_tail *tail);

#endif
