/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_PACKET_H
#define KT_DECODER_CORESIGHT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_unit;

/* This is what a packet of ETMv4 or ETE is to who follows speculation. */
enum coresight_packet_kind {
	CORESIGHT_PACKET_OTHER,	    /* of no unit that is decoded */
	CORESIGHT_PACKET_EXTENSION, /* synchronisation, discard, overflow */
	CORESIGHT_PACKET_TRACE_INFO,
	CORESIGHT_PACKET_REPORT, /* is true whatever is executed */
	CORESIGHT_PACKET_STATE,
	CORESIGHT_PACKET_TRANSACTION,
	CORESIGHT_PACKET_EXCEPTION,
	CORESIGHT_PACKET_IGNORE,
	CORESIGHT_PACKET_CYCLES,
	CORESIGHT_PACKET_COMMIT,
	CORESIGHT_PACKET_CANCEL,     /* of format 1 */
	CORESIGHT_PACKET_MISPREDICT, /* and cancels of formats 2 and 3 */
	CORESIGHT_PACKET_CONTEXT,
	CORESIGHT_PACKET_ADDRESS,
	CORESIGHT_PACKET_SOURCE, /* an address that was executed */
	CORESIGHT_PACKET_Q,
	CORESIGHT_PACKET_ATOMS,
	CORESIGHT_PACKET_KINDS,
};

/* From this header on, packets are of atoms, and of one byte. */
enum { CORESIGHT_PACKET_FIRST_ATOMS = 0xc0 };

/* Where the packets of an ETMv4 or ETE begin and end (Arm IHI 0064,
 * "Instruction trace protocol"), from one synchronisation packet on.
 */
struct coresight_packet {
	/* Of the unit. */
	bool counts_commits; /* TRCIDR0.COMMOPT is 0 */
	bool is_ete;
	uint8_t context_sizes[2]; /* of the VMID and the context id */

	/* Of the packet under way, or the last one. */
	bool is_open; /* more bytes are to come */
	uint8_t header;
	uint8_t kind;	    /* enum coresight_packet_kind */
	uint8_t at;	    /* bytes so far, 255 at most */
	uint8_t fixed;	    /* bytes to come */
	uint8_t fields;	    /* that go on while bit 7 is set */
	uint8_t field_size; /* bytes of the one under way */
	uint8_t field_max;  /* or 0 */
	bool has_context;   /* comes last */
	uint8_t sections;   /* of trace info, to come */
	uint32_t depth;	    /* of trace info: not committed yet */
	uint8_t depth_at;   /* the byte that says so, or 0 */
};

/* The bytes that come next begin a packet of @unit. */
void coresight_packet_begin(struct coresight_packet *packet,
			    const struct coresight_unit *unit);

/* Takes the next of @size bytes, up to a packet's end.  Returns how many, at
 * least one.
 */
size_t coresight_packet_take(struct coresight_packet *packet,
			     const uint8_t *bytes, size_t size);

#endif
