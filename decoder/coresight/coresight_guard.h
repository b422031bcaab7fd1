/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_GUARD_H
#define KT_DECODER_CORESIGHT_GUARD_H

#include "decoder/coresight/coresight_packet.h"

/* Keeps from OpenCSD (1.3 and 1.5) what makes it read behind an empty list:
 * packets that commit, cancel or correct what was speculated.  A unit without
 * speculation (TRCIDR8 0) writes none; damage makes them.  For units with it,
 * see coresight_speculation.h.
 */
struct coresight_guard {
	bool is_on;
	struct coresight_packet packet;
};

/* A synchronisation packet of @unit came before. */
void coresight_guard_begin(struct coresight_guard *guard,
			   const struct coresight_unit *unit);

/* Returns how many of the next @size bytes OpenCSD may be given: all, or some
 * before the end of a packet that it must not see.
 */
size_t coresight_guard_pass(struct coresight_guard *guard, const uint8_t *bytes,
			    size_t size);

#endif
