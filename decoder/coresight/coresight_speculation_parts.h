/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SPECULATION_PARTS_H
#define KT_DECODER_CORESIGHT_SPECULATION_PARTS_H

#include "decoder/coresight/coresight_address.h"
#include "decoder/coresight/coresight_held.h"
#include "decoder/coresight/coresight_last_context.h"
#include "decoder/coresight/coresight_speculation.h"

/* The packet under way, and what is known from those before it. */
struct coresight_speculation {
	bool transactions_count; /* as elements: TRCIDR0.COMMTRANS */
	struct coresight_packet packet;
	uint64_t index; /* of its first byte */
	uint8_t size;
	uint8_t bytes[CORESIGHT_PACKET_ROOM];

	bool is_begun;	     /* trace info was seen, and nothing was
					 * lost since
					 */
	bool is_synced;	     /* trace info is to come, right behind a
					 * synchronisation packet
					 */
	bool awaits_address; /* the newest is an exception */
	struct coresight_addresses addresses;
	struct coresight_last_context context;
	struct coresight_held held;
};

/* This is what is done with packets of a kind. */
struct coresight_speculation_kind {
	/* Takes the packet under way, which is whole.  Returns as the functions
	 * of struct coresight_held.
	 */
	bool (*take)(struct coresight_speculation *speculation);
	bool is_early;	 /* may come before the first trace info */
	bool is_between; /* may come between exception and address */
};

extern const struct coresight_speculation_kind
	coresight_speculation_kinds[CORESIGHT_PACKET_KINDS];

#endif
