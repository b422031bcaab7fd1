/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/sync_search.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"

enum {
	/* More bytes than there are between PSB and PSBEND. */
	HEADER_BYTES = 256,
	/* Maximum of consecutive sync points without a time; then none is
	 * assumed to have one.
	 */
	MOST_WITHOUT = 1 << 10,
};

/* Reads the packets from the PSB at @position to PSBEND. Returns whether they
 * contain a time.
 */
static bool read_time(const struct sync_search *search, size_t position,
		      uint64_t *ticks)
{
	size_t end = search->size - position < HEADER_BYTES ?
			     search->size :
			     position + HEADER_BYTES;
	struct intel_packet packet = { .kind = INTEL_PACKET_PSB };
	const uint8_t *bytes = search->bytes;

	if (search->reach)
		bytes = search->reach(search->ctx, position, end);
	for (size_t at = position; packet.kind != INTEL_PACKET_PSBEND;
	     at += packet.size) {
		if (intel_packet_read(bytes + at, end - at, &packet) <= 0)
			return false;
		if (packet.kind != INTEL_PACKET_TSC)
			continue;
		*ticks = intel_tsc_ticks(packet.payload, search->origin);
		return true;
	}
	return false;
}

bool sync_search_next(const struct sync_search *search, size_t from,
		      struct sync_point *point)
{
	for (int i = 0; i < MOST_WITHOUT; i++) {
		size_t psb = intel_psb_reach(search->bytes, search->size, from,
					     search->reach, search->ctx);

		if (psb == search->size)
			return false;
		if (read_time(search, psb, &point->ticks)) {
			point->position = psb;
			return true;
		}
		from = psb + 1;
	}
	return false;
}

static bool next_within(void *ctx, size_t size, size_t from,
			struct sync_point *point)
{
	struct sync_search search = *(const struct sync_search *)ctx;

	search.size = size;
	return sync_search_next(&search, from, point);
}

bool sync_search_before(const struct sync_search *search, uint64_t ticks,
			struct sync_point *point)
{
	struct sync_search whole = *search;
	const struct point_search points = {
		.size = search->size,
		.next = next_within,
		.ctx = &whole,
	};

	return point_search_before(&points, ticks, point);
}
