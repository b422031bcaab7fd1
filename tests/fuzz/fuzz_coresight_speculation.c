/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/speculation_internal.h"
#include "decoder/recording/coresight_streams.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

/* Checks that an emitted packet has its stated length. */
static bool check_packet(void *ctx, uint64_t index, const uint8_t *bytes,
			 size_t size)
{
	struct coresight_packet *packet = ctx;

	(void)index;
	assert(size && size <= CORESIGHT_PACKET_ROOM && !packet->is_open);
	assert(coresight_packet_consume(packet, bytes, size) == size);
	assert(!packet->is_open && !packet->depth);
	return true;
}

static void check_anew(void *ctx, uint64_t index)
{
	const struct coresight_packet *packet = ctx;

	(void)index;
	assert(!packet->is_open);
}

/* A unit's registers, then its trace in windows of 64 bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	enum { REGISTERS = 12, WINDOW = 64 };
	struct coresight_packet packet;
	const struct coresight_packet_callback callback = { check_packet,
							    check_anew,
							    &packet };
	struct coresight_speculation *speculation =
		coresight_speculation_new(&callback);
	struct coresight_unit unit = { .protocol = CORESIGHT_ETMV4 };
	size_t taken = WINDOW;

	if (!speculation || size < REGISTERS)
		goto done;
	if (bytes[0] & 1)
		unit.protocol = CORESIGHT_ETE;
	memcpy(&unit.idr0, bytes, sizeof(unit.idr0));
	memcpy(&unit.idr2, bytes + 4, sizeof(unit.idr2));
	memcpy(&unit.idr8, bytes + 8, sizeof(unit.idr8));
	coresight_packet_begin(&packet, &unit);
	coresight_speculation_begin(speculation, &unit);
	for (size_t at = REGISTERS; at < size && taken == WINDOW;
	     at += WINDOW) {
		size_t left = size - at < WINDOW ? size - at : WINDOW;

		taken = coresight_speculation_consume(speculation, at,
						      bytes + at, left);
		assert(taken <= left);
	}
done:
	coresight_speculation_free(speculation);
	return 0;
}
