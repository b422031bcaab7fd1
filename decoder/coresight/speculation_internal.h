/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SPECULATION_INTERNAL_H
#define KT_DECODER_CORESIGHT_SPECULATION_INTERNAL_H

#include "decoder/coresight/packet_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_speculation;
struct coresight_unit;

struct coresight_packet_callback {
	/* Consumes a packet, whose first byte has number @index. Returns false
	 * to stop.
	 */
	bool (*give)(void *ctx, uint64_t index, const uint8_t *bytes,
		     size_t size);
	/* Called if the trace before @index is damaged. The next packet is the
	 * trace info there; a synchronization packet came before it.
	 */
	void (*begin_anew)(void *ctx, uint64_t index);
	void *ctx;
};

enum { CORESIGHT_PACKET_ROOM = 32, CORESIGHT_HELD_ROOM = 2048 };

/* Converts the trace of an ETMv4 or ETE with speculation (TRCIDR8 is not 0) to
 * one of committed execution only: packets are held back until they are
 * committed, by a packet or because the unit never has more than TRCIDR8
 * uncommitted elements (Arm IHI 0064, "Speculation").
 *
 * OpenCSD (1.3 and 1.5) gets the converted trace because it handles speculation
 * badly: it reads past the end of an empty list at commits and corrections of
 * missing elements, ignores the commits of cycle counts, and does not know of
 * elements older than its start.
 */
struct coresight_speculation *
coresight_speculation_new(const struct coresight_packet_callback *callback);

void coresight_speculation_free(struct coresight_speculation *speculation);

/* Starts after a synchronization packet of @unit. */
void coresight_speculation_begin(struct coresight_speculation *speculation,
				 const struct coresight_unit *unit);

/* Consumes the next @size bytes; the first has number @index. Returns @size, or
 * less if the rest is damaged or the callback stopped: the caller must then
 * continue after a synchronization packet. Damage right before a
 * synchronization packet is only reported to the callback.
 */
size_t coresight_speculation_consume(struct coresight_speculation *speculation,
				     uint64_t index, const uint8_t *bytes,
				     size_t size);

/* Returns whether some elements are still uncommitted. */
bool coresight_speculation_waits(
	const struct coresight_speculation *speculation);

#endif
