/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_RECORDS_INTERNAL_H
#define KT_INBAND_OWN_RECORDS_INTERNAL_H

#include "collector/rings/cpu_rings.h"
#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_events;

/* The trace since the last sync point (PSB). Linux's driver makes the unit send
 * one only when it is first switched on (pt_config() in
 * arch/x86/events/intel/pt.c), and then every 2 KiB or more of trace. So
 * decoding the next trace starts with this tail.
 */
struct trace_tail {
	struct byte_buffer bytes; /* empty: none */
	uint64_t start; /* position of the first byte, counted like aux_head */
};

/* Replaces the tail by the part of the @size bytes at @trace from their last
 * sync point on; empties it if there is none. @trace starts at position @start
 * and begins with the bytes of the previous tail. When out of memory, the tail
 * becomes empty.
 */
void trace_tail_keep(struct trace_tail *tail, const uint8_t *trace, size_t size,
		     uint64_t start);

/* Empties the tail. Must be called when trace was lost, because the next trace
 * then does not continue the tail.
 */
void trace_tail_forget(struct trace_tail *tail);

/* Returns whether there is a tail. */
bool trace_tail_is_synchronised(const struct trace_tail *tail);

void trace_tail_free(struct trace_tail *tail);

/* The data of one bracket, in the format of a recording: records, and after
 * them one AUXTRACE record with the trace. A shared mapping of fixed size, of
 * which pages can be released.
 */
struct part_bytes {
	uint8_t *bytes;
	size_t room;
	size_t size;	     /* total */
	size_t records_size; /* of the records before AUXTRACE */
	size_t trace_size;   /* 0: no trace */
	/* position of the trace's first byte, counted like aux_head */
	uint64_t trace_start;
	/* The size of the trace that is older than the bracket, at its start,
	 * and whether a decoder without earlier state must follow it.
	 */
	size_t before_size;
	bool needs_before;
};

/* Maps @room bytes. Returns 0 or -ERROR_SYSTEM with errno set. */
int part_bytes_open(struct part_bytes *part, size_t room);

void part_bytes_close(struct part_bytes *part);

/* Returns only the trace, as the bytes of a ring. */
struct ring_bytes part_bytes_trace(const struct part_bytes *part);

/* Records that all later brackets need, too. */
struct lasting_records {
	struct byte_buffer changes; /* of the kernel's code */
	/* AUX_OUTPUT_HW_ID: CoreSight's driver reports once for each CPU the id
	 * of its trace unit.
	 */
	struct byte_buffer unit_ids;
};

/* Returns the size that a part needs for the full content of the rings. */
size_t own_records_room(const struct thread_events *events);

/* Returns whether a trace may start without a sync point: then decoding it
 * needs the trace before it, from the last sync point on (struct trace_tail).
 */
bool own_records_need_tail(const struct thread_events *events);

/* Empties the rings of records. Lasting records are appended to @lasting; @part
 * is cleared.
 */
void own_records_drop(struct thread_events *events, struct part_bytes *part,
		      struct lasting_records *lasting);

/* Empties the rings like own_records_drop(), but stores the records that are
 * not lasting in @part: first the ids of trace units, then the other records,
 * @tail, and the trace of @tid, which must be switched off. Sets @tail for the
 * next call. Reports a full buffer by a record, as the recorder does.
 */
void own_records_take(struct thread_events *events, pid_t tid,
		      struct part_bytes *part, struct lasting_records *lasting,
		      struct trace_tail *tail);

#endif
