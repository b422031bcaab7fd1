/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_PACKET_H
#define KT_DECODER_CORESIGHT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_unit;

/* The kind of an ETMv4 or ETE packet, as far as it matters for speculation. */
enum coresight_packet_kind {
	/* does not occur in a trace that is decoded */
	CORESIGHT_PACKET_OTHER,
	CORESIGHT_PACKET_EXTENSION, /* synchronization, discard, overflow */
	CORESIGHT_PACKET_TRACE_INFO,
	CORESIGHT_PACKET_REPORT, /* true even if execution is cancelled */
	CORESIGHT_PACKET_STATE,
	CORESIGHT_PACKET_TRANSACTION,
	CORESIGHT_PACKET_EXCEPTION,
	CORESIGHT_PACKET_IGNORE,
	CORESIGHT_PACKET_CYCLES,
	CORESIGHT_PACKET_COMMIT,
	CORESIGHT_PACKET_CANCEL,     /* of format 1 */
	CORESIGHT_PACKET_MISPREDICT, /* and cancel packets of formats 2 and 3 */
	CORESIGHT_PACKET_CONTEXT,
	CORESIGHT_PACKET_ADDRESS,
	CORESIGHT_PACKET_SOURCE, /* the address of an executed branch */
	CORESIGHT_PACKET_Q,
	CORESIGHT_PACKET_ATOMS,
	CORESIGHT_PACKET_KINDS,
};

/* All packets from this header on are atom packets of one byte. */
enum { CORESIGHT_PACKET_FIRST_ATOMS = 0xc0 };

/* Finds the boundaries of ETMv4 or ETE packets (Arm IHI 0064, "Instruction
 * trace protocol"), starting at a synchronization packet.
 */
struct coresight_packet {
	/* The trace unit's configuration. */
	bool counts_commits; /* TRCIDR0.COMMOPT is 0 */
	bool is_ete;
	uint8_t context_sizes[2]; /* of the VMID and the context ID */

	/* The current packet, or the last one. */
	bool is_open; /* more bytes follow */
	uint8_t header;
	uint8_t kind;  /* enum coresight_packet_kind */
	uint8_t at;    /* bytes so far, 255 at most */
	uint8_t fixed; /* bytes that remain */
	/* remaining fields, which continue while bit 7 is set */
	uint8_t fields;
	uint8_t field_size; /* bytes so far of the current field */
	uint8_t field_max;  /* largest size of a field, or 0 */
	bool has_context;   /* a context ends the packet */
	uint8_t sections;   /* of trace info, remaining */
	uint32_t depth;	    /* of trace info: uncommitted elements */
	uint8_t depth_at;   /* index of the byte with the depth, or 0 */
};

/* Starts: the next byte is the first of a packet of @unit. */
void coresight_packet_begin(struct coresight_packet *packet,
			    const struct coresight_unit *unit);

/* Consumes the next of @size bytes, up to the end of a packet. Returns the
 * number consumed, at least one.
 */
size_t coresight_packet_take(struct coresight_packet *packet,
			     const uint8_t *bytes, size_t size);

#endif
