/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_EXPANSION_H
#define KT_DECODER_CORESIGHT_EXPANSION_H

#include "decoder/coresight/coresight_address.h"
#include "decoder/coresight/coresight_last_context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_packet;

/* Addresses and contexts in packets of ETMv4 or ETE leave out what those before them
 * told.  Where one before may be cancelled each has to be told in full.
 */
struct coresight_expansion {
	struct coresight_addresses addresses;
	struct coresight_last_context context;
};

/* Trace info comes: no packet leaves out what an address before it told; nor, if
 * @is_begin, a context.
 */
void coresight_expansion_restart(struct coresight_expansion *expansion,
				 bool is_begin);

/* Writes the @size bytes of @packet, a context's, in full to @expanded, which has room
 * for CORESIGHT_PACKET_ROOM.  Returns how many bytes that makes, 0 if the context is
 * not known.
 */
size_t coresight_expansion_context(struct coresight_expansion *expansion,
				   const struct coresight_packet *packet,
				   const uint8_t *bytes, size_t size,
				   uint8_t *expanded);

/* The same of an address's or a source address's, whose context may follow. */
size_t coresight_expansion_address(struct coresight_expansion *expansion,
				   const struct coresight_packet *packet,
				   const uint8_t *bytes, size_t size,
				   uint8_t *expanded);

/* Makes @bytes of @packet, trace info, say that no elements wait: who is told packets as
 * they are committed has not seen those.
 */
void coresight_expansion_hide_depth(const struct coresight_packet *packet,
				    uint8_t *bytes);

#endif
