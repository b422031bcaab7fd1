/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_EXPANSION_H
#define KT_DECODER_CORESIGHT_EXPANSION_H

#include "decoder/coresight/coresight_address.h"
#include "decoder/coresight/coresight_last_context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_packet;

/* Addresses and contexts in ETMv4 or ETE packets omit the parts that earlier
 * packets contain. Since earlier packets may be cancelled, this code rewrites
 * each one in full.
 */
struct coresight_expansion {
	struct coresight_addresses addresses;
	struct coresight_last_context context;
};

/* Resets at trace info: no later packet omits parts of addresses before it;
 * nor, if @is_begin, of contexts.
 */
void coresight_expansion_restart(struct coresight_expansion *expansion,
				 bool is_begin);

/* Writes context @packet of @size bytes in full to @expanded, which has room
 * for CORESIGHT_PACKET_ROOM. Returns the number of bytes written, 0 if the
 * context is unknown.
 */
size_t coresight_expansion_context(struct coresight_expansion *expansion,
				   const struct coresight_packet *packet,
				   const uint8_t *bytes, size_t size,
				   uint8_t *expanded);

/* Like coresight_expansion_context(), for an address or source address packet,
 * which a context may follow.
 */
size_t coresight_expansion_address(struct coresight_expansion *expansion,
				   const struct coresight_packet *packet,
				   const uint8_t *bytes, size_t size,
				   uint8_t *expanded);

/* Sets the number of uncommitted elements in @bytes of @packet, trace info, to
 * zero: a reader of committed packets has not seen these elements.
 */
void coresight_expansion_hide_depth(const struct coresight_packet *packet,
				    uint8_t *bytes);

#endif
