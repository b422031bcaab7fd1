/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_UNCOMMITTED_H
#define KT_DECODER_CORESIGHT_UNCOMMITTED_H

#include "decoder/coresight/coresight_expansion.h"
#include "decoder/coresight/coresight_held.h"

struct coresight_unit;

/* Whole packets of a trace that speculates: what each means for those that are
 * not committed yet, and what addresses and contexts it counts on.
 */
struct coresight_uncommitted {
	bool transactions_count; /* as elements: TRCIDR0.COMMTRANS */
	bool is_begun;		 /* trace info was seen, and nothing was
				  * lost since */
	bool is_synced;		 /* trace info is to come, right behind a
				  * synchronisation packet */
	bool awaits_address;	 /* the newest is an exception */
	struct coresight_expansion expansion;
	struct coresight_held held;
};

/* A packet that is whole.  Its bytes may be changed. */
struct coresight_whole_packet {
	const struct coresight_packet *packet;
	uint64_t index; /* of its first byte */
	uint8_t *bytes;
	uint8_t size;
};

/* A synchronisation packet of @unit came before. */
void coresight_uncommitted_begin(struct coresight_uncommitted *uncommitted,
				 const struct coresight_unit *unit);

/* Takes the next packet.  Returns as the functions of struct coresight_held. */
bool coresight_uncommitted_take(struct coresight_uncommitted *uncommitted,
				const struct coresight_whole_packet *whole);

/* Returns whether what is to become of some elements was not said so far. */
bool coresight_uncommitted_waits(
	const struct coresight_uncommitted *uncommitted);

#endif
