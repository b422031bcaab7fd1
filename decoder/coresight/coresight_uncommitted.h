/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_UNCOMMITTED_H
#define KT_DECODER_CORESIGHT_UNCOMMITTED_H

#include "decoder/coresight/coresight_expansion.h"
#include "decoder/coresight/coresight_held.h"

struct coresight_unit;

/* Consumes complete packets of a trace with speculation: applies each to the
 * uncommitted elements, and tracks the addresses and contexts that later
 * packets refer to.
 */
struct coresight_uncommitted {
	/* transactions are elements: TRCIDR0.COMMTRANS */
	bool transactions_count;
	bool is_begun; /* trace info was seen, without loss since */
	/* trace info is due, right after a synchronization packet */
	bool is_synced;
	bool awaits_address; /* the newest element is an exception */
	struct coresight_expansion expansion;
	struct coresight_held held;
};

/* A complete packet. Its bytes may be modified. */
struct coresight_whole_packet {
	const struct coresight_packet *packet;
	uint64_t index; /* number of its first byte */
	uint8_t *bytes;
	uint8_t size;
};

/* Starts after a synchronization packet of @unit. */
void coresight_uncommitted_begin(struct coresight_uncommitted *uncommitted,
				 const struct coresight_unit *unit);

/* Consumes the next packet. Returns false as the functions of struct
 * coresight_held do.
 */
bool coresight_uncommitted_take(struct coresight_uncommitted *uncommitted,
				const struct coresight_whole_packet *whole);

/* Returns whether some elements are still uncommitted. */
bool coresight_uncommitted_waits(
	const struct coresight_uncommitted *uncommitted);

#endif
