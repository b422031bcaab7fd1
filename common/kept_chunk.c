/* SPDX-License-Identifier: MIT */
#include "common/kept_chunk.h"

#include "common/pack.h"

static void widen(uint64_t *first, uint64_t *last, uint64_t since_ns,
		  uint64_t until_ns)
{
	if (*first > since_ns)
		*first = since_ns;
	if (*last < until_ns)
		*last = until_ns;
}

void kept_chunk_count(struct kept_chunk *chunk, const struct kept_span *span)
{
	widen(&chunk->span.first_begin_ns, &chunk->span.last_begin_ns,
	      span->first_begin_ns, span->last_begin_ns);
	widen(&chunk->span.first_end_ns, &chunk->span.last_end_ns,
	      span->first_end_ns, span->last_end_ns);
	chunk->records++;
}

bool kept_chunk_is_wanted(const struct kept_chunk *chunk,
			  const struct kept_span *wanted)
{
	const struct kept_span *span = &chunk->span;

	return span->last_begin_ns >= wanted->first_begin_ns &&
	       span->first_begin_ns <= wanted->last_begin_ns &&
	       span->last_end_ns >= wanted->first_end_ns &&
	       span->first_end_ns <= wanted->last_end_ns;
}

void kept_chunk_pack(struct kept_chunk *chunk, struct pack *pack)
{
	pack_u64(pack, &chunk->span.first_begin_ns);
	pack_u64(pack, &chunk->span.last_begin_ns);
	pack_u64(pack, &chunk->span.first_end_ns);
	pack_u64(pack, &chunk->span.last_end_ns);
	pack_u32(pack, &chunk->records);
	chunk_pack(&chunk->chunk, pack);
	pack_check(pack, chunk->records <= KEPT_CHUNK_RECORDS);
}
