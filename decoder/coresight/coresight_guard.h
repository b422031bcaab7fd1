/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_GUARD_H
#define KT_DECODER_CORESIGHT_GUARD_H

#include "decoder/coresight/coresight_packet.h"

/* Hides packets from OpenCSD (1.3 and 1.5) that make it read past the end of an
 * empty list: those that commit, cancel or correct speculation. A unit without
 * speculation (TRCIDR8 is 0) writes none, but damage can produce them. For
 * units with speculation see coresight_speculation.h.
 */
struct coresight_guard {
	bool is_on;
	struct coresight_packet packet;
};

/* Starts after a synchronization packet of @unit. */
void coresight_guard_begin(struct coresight_guard *guard,
			   const struct coresight_unit *unit);

/* Returns how many of the next @size bytes OpenCSD may get: all, or those
 * before the end of a packet that it must not see.
 */
size_t coresight_guard_pass(struct coresight_guard *guard, const uint8_t *bytes,
			    size_t size);

#endif
