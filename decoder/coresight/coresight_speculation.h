/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SPECULATION_H
#define KT_DECODER_CORESIGHT_SPECULATION_H

#include "decoder/coresight/coresight_held.h"

struct coresight_unit;
struct coresight_speculation;

/* Makes of the trace of an ETMv4 or ETE that tells of execution before it is
 * known to happen (TRCIDR8 is not 0) one that tells of what did: packets are
 * held back until they are committed, by a packet or because the unit never
 * has more than TRCIDR8 elements that are not (Arm IHI 0064, "Speculation").
 *
 * OpenCSD (1.3 and 1.5) is given that, as it cannot do this well: it reads
 * behind an empty list at commits and corrections of what is not there, passes
 * over the commits of cycle counts, and does not know of elements that are
 * older than the place where it began.
 */
struct coresight_speculation *
coresight_speculation_new(const struct coresight_packet_callback *callback);
void coresight_speculation_free(struct coresight_speculation *speculation);

/* A synchronisation packet of @unit came before. */
void coresight_speculation_begin(struct coresight_speculation *speculation,
				 const struct coresight_unit *unit);

/* Takes the next @size bytes; the first has number @index.  Returns @size, or
 * less if they are damaged from there on, or the callback wants no more: what
 * comes next begins behind a synchronisation packet.  Damage that shows behind
 * one is told to the callback alone.
 */
size_t coresight_speculation_take(struct coresight_speculation *speculation,
				  uint64_t index, const uint8_t *bytes,
				  size_t size);

/* Returns whether what is to become of some elements was not said so far. */
bool coresight_speculation_waits(
	const struct coresight_speculation *speculation);

#endif
