/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_speculation.h"
#include "decoder/coresight/coresight_uncommitted.h"

#include <stdlib.h>
#include <string.h>

/* The current packet, and the state from earlier ones. */
struct coresight_speculation {
	struct coresight_packet packet;
	uint64_t index; /* of the first byte */
	uint8_t size;
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
	struct coresight_uncommitted uncommitted;
};

struct coresight_speculation *
coresight_speculation_new(const struct coresight_packet_callback *callback)
{
	struct coresight_speculation *speculation =
		calloc(1, sizeof(*speculation));

	if (speculation)
		speculation->uncommitted.held.callback = *callback;
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
	coresight_uncommitted_begin(&speculation->uncommitted, unit);
}

static bool take_packet(struct coresight_speculation *speculation)
{
	const struct coresight_whole_packet whole = {
		.packet = &speculation->packet,
		.index = speculation->index,
		.bytes = speculation->bytes,
		.size = speculation->size,
	};

	return coresight_uncommitted_take(&speculation->uncommitted, &whole);
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
	return coresight_uncommitted_waits(&speculation->uncommitted);
}
