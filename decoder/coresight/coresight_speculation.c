/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_speculation_parts.h"
#include "decoder/recording/coresight_unit.h"

#include <stdlib.h>
#include <string.h>

struct coresight_speculation *
coresight_speculation_new(const struct coresight_packet_callback *callback)
{
	struct coresight_speculation *speculation =
		calloc(1, sizeof(*speculation));

	if (speculation)
		speculation->held.callback = *callback;
	return speculation;
}

void coresight_speculation_free(struct coresight_speculation *speculation)
{
	free(speculation);
}

void coresight_speculation_begin(struct coresight_speculation *speculation,
				 const struct coresight_unit *unit)
{
	coresight_packet_begin(&speculation->packet, unit);
	coresight_held_begin(&speculation->held, unit->idr8);
	speculation->transactions_count = !(unit->idr0 >> 30 & 1);
	speculation->is_begun = false;
	speculation->is_synced = false;
	speculation->awaits_address = false;
}

static bool take_packet(struct coresight_speculation *speculation)
{
	const struct coresight_speculation_kind *kind =
		&coresight_speculation_kinds[speculation->packet.kind];

	if ((!speculation->is_begun && !kind->is_early) ||
	    (speculation->awaits_address && !kind->is_between))
		return false;
	speculation->is_synced &= kind->is_early;
	return kind->take(speculation) &&
	       coresight_held_commit(&speculation->held, 0);
}

static void begin_packet(struct coresight_speculation *speculation,
			 uint64_t index)
{
	speculation->index = index;
	speculation->size = 0;
}

static bool add_bytes(struct coresight_speculation *speculation,
		      const uint8_t *bytes, size_t size)
{
	if (size > sizeof(speculation->bytes) - speculation->size)
		return false;
	memcpy(speculation->bytes + speculation->size, bytes, size);
	speculation->size += (uint8_t)size;
	return speculation->packet.is_open || take_packet(speculation);
}

size_t coresight_speculation_take(struct coresight_speculation *speculation,
				  uint64_t index, const uint8_t *bytes,
				  size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t taken;

		if (!speculation->packet.is_open)
			begin_packet(speculation, index + at);
		taken = coresight_packet_take(&speculation->packet, bytes + at,
					      size - at);
		if (!add_bytes(speculation, bytes + at, taken))
			return speculation->index > index ?
				       speculation->index - index :
				       0;
		at += taken;
	}
	return size;
}

bool coresight_speculation_waits(const struct coresight_speculation *speculation)
{
	return speculation->awaits_address || speculation->held.elements ||
	       speculation->held.unseen;
}
