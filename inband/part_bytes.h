/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_PART_BYTES_H
#define KT_INBAND_PART_BYTES_H

#include "collector/rings/ring.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_tail;

/* The data of one bracket, in the format of a recording: records, and after
 * them one AUXTRACE with its trace. A shared mapping of fixed size, of which
 * pages can be released.
 */
struct part_bytes {
	uint8_t *bytes;
	size_t room;
	size_t size;	     /* total */
	size_t records_size; /* of the records before AUXTRACE */
	size_t trace_size;   /* 0: no trace */
	/* position of its first byte, in the kernel's count */
	uint64_t trace_start;
	/* The size of the part of the trace that is from before the bracket. It
	 * need not be followed to decode the bracket.
	 */
	size_t before_size;
};

/* Maps @room bytes. Returns 0 or -ERROR_SYSTEM with errno set. */
int part_bytes_open(struct part_bytes *part, size_t room);
void part_bytes_close(struct part_bytes *part);

void part_bytes_clear(struct part_bytes *part);

/* Append records, which must fit. Return their position. */
uint8_t *part_bytes_add(struct part_bytes *part, const void *bytes,
			size_t size);
uint8_t *part_bytes_add_ring(struct part_bytes *part,
			     const struct ring_bytes *bytes);

/* Appends the trace of @tid: @before, then @trace. Nothing can be added
 * afterwards. Returns its position.
 */
const uint8_t *part_bytes_add_trace(struct part_bytes *part, pid_t tid,
				    const struct trace_tail *before,
				    const struct ring_bytes *trace);

/* Returns only the trace, as the bytes of a ring. */
struct ring_bytes part_bytes_trace(const struct part_bytes *part);

#endif
