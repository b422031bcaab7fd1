/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_RECORDS_H
#define KT_INBAND_OWN_RECORDS_H

#include "common/byte_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct thread_events;
struct part_bytes;
struct trace_tail;

/* Records that brackets to come need, too. */
struct lasting_records {
	struct byte_buffer changes; /* of the kernel's code */
	/* AUX_OUTPUT_HW_ID: CoreSight's driver says once for each CPU how it has
	 * numbered the trace unit there.
	 */
	struct byte_buffer unit_ids;
};

/* Returns how much room a part needs for all that the rings can hold. */
size_t own_records_room(const struct thread_events *events);

/* Returns whether a trace may begin without a synchronisation point, and needs
 * that before it.
 */
bool own_records_need_tail(const struct thread_events *events);

/* Empties the rings of records.  What lasts is appended to @lasting; @part is
 * cleared.
 */
void own_records_drop(struct thread_events *events, struct part_bytes *part,
		      struct lasting_records *lasting);

/* The same, with all else in @part: its records, those of the trace units
 * first, and behind them the trace of @tid, which must be off, from @tail on.  That
 * the buffer was full is a record, as the recorder has it.
 */
void own_records_take(struct thread_events *events, pid_t tid,
		      struct part_bytes *part, struct lasting_records *lasting,
		      struct trace_tail *tail);

#endif
