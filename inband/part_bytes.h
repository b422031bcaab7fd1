/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_PART_BYTES_H
#define KT_INBAND_PART_BYTES_H

#include "collector/rings/ring.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_tail;

/* What one bracket recorded, in the form that it has in a recording: records,
 * and behind them one AUXTRACE with its trace.  A shared mapping of fixed size,
 * from which pages may be given back.
 */
struct part_bytes {
	uint8_t *bytes;
	size_t room;
	size_t size;	      /* of all */
	size_t records_size;  /* of the records before AUXTRACE */
	size_t trace_size;    /* 0: there is no trace */
	uint64_t trace_start; /* its first byte, as the kernel counts */
	/* Of that, what is from before the bracket, and needs not be followed for
	 * what is in it.
	 */
	size_t before_size;
};

/* Makes room for @room bytes.  Returns 0 or -ERROR_SYSTEM with errno set. */
int part_bytes_open(struct part_bytes *part, size_t room);
void part_bytes_close(struct part_bytes *part);

void part_bytes_clear(struct part_bytes *part);

/* Appends records; no more than there is room for.  Returns where they are. */
uint8_t *part_bytes_add(struct part_bytes *part, const void *bytes,
			size_t size);
uint8_t *part_bytes_add_ring(struct part_bytes *part,
			     const struct ring_bytes *bytes);

/* Appends the trace of @tid, @before and what follows that; nothing is added
 * then.  Returns where it is.
 */
const uint8_t *part_bytes_add_trace(struct part_bytes *part, pid_t tid,
				    const struct trace_tail *before,
				    const struct ring_bytes *trace);

/* The trace alone, as a ring has it. */
struct ring_bytes part_bytes_trace(const struct part_bytes *part);

#endif
