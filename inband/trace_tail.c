/* SPDX-License-Identifier: MIT */
#include "inband/trace_tail.h"
#include "decoder/recording/aux_stream.h"

/* The last sync point is normally this near to the end. */
enum { USUAL_DISTANCE = 8 << 10 };

/* Returns the position of the last PSB at or after @from, @size if there is
 * none.
 */
static size_t last_psb(const uint8_t *trace, size_t size, size_t from)
{
	size_t last = size;
	size_t at = from;

	while ((at = intel_psb_find(trace, size, at)) < size)
		last = at++;
	return last;
}

void trace_tail_keep(struct trace_tail *tail, const uint8_t *trace, size_t size,
		     uint64_t start)
{
	size_t near = size > USUAL_DISTANCE ? size - USUAL_DISTANCE : 0;
	size_t at = last_psb(trace, size, near);

	if (at == size && near)
		at = last_psb(trace, size, 0);
	tail->bytes.size = 0;
	tail->start = start + at;
	byte_buffer_add(&tail->bytes, trace + at, size - at);
	if (tail->bytes.failed)
		trace_tail_free(tail);
}

void trace_tail_forget(struct trace_tail *tail)
{
	tail->bytes.size = 0;
}

bool trace_tail_is_synchronised(const struct trace_tail *tail)
{
	return tail->bytes.size;
}

void trace_tail_free(struct trace_tail *tail)
{
	byte_buffer_free(&tail->bytes);
}
