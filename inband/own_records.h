/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_RECORDS_H
#define KT_INBAND_OWN_RECORDS_H

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct thread_events;
struct part_bytes;
struct trace_tail;

/* Records that later brackets need as well. */
struct lasting_records {
	struct byte_buffer changes; /* of the kernel's code */
	/* AUX_OUTPUT_HW_ID: CoreSight's driver reports once for each CPU the id
	 * of its trace unit.
	 */
	struct byte_buffer unit_ids;
};

/* Returns the size that a part needs for the full content of the rings. */
size_t own_records_room(const struct thread_events *events);

/* Returns whether a trace may start without a sync point, so that the trace
 * before it, back to one, is needed.
 */
bool own_records_need_tail(const struct thread_events *events);

/* Empties the rings of records. Lasting records are appended to @lasting; @part
 * is cleared.
 */
void own_records_drop(struct thread_events *events, struct part_bytes *part,
		      struct lasting_records *lasting);

/* Like own_records_drop(), but stores all other records in @part, those of the
 * trace units first, and after them the trace of @tid, which must be off, from
 * @tail on. A full buffer is reported by a record, as in the recorder.
 */
void own_records_take(struct thread_events *events, pid_t tid,
		      struct part_bytes *part, struct lasting_records *lasting,
		      struct trace_tail *tail);

#endif
