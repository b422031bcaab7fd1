/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_PACKET_INTERNAL_H
#define KT_DECODER_CORESIGHT_PACKET_INTERNAL_H

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
	/* reports that stay valid if execution is cancelled */
	CORESIGHT_PACKET_REPORT,
	CORESIGHT_PACKET_STATE,
	CORESIGHT_PACKET_TRANSACTION,
	CORESIGHT_PACKET_EXCEPTION,
	CORESIGHT_PACKET_IGNORE,
	CORESIGHT_PACKET_CYCLES,
	CORESIGHT_PACKET_COMMIT,
	CORESIGHT_PACKET_CANCEL, /* cancel packets of format 1 */
	/* mispredict packets, and cancel packets of formats 2 and 3 */
	CORESIGHT_PACKET_MISPREDICT,
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
size_t coresight_packet_consume(struct coresight_packet *packet,
				const uint8_t *bytes, size_t size);

/* The outcomes of consecutive waypoints, the oldest in bit 0: 1 is an executed
 * branch.
 */
struct coresight_atoms {
	uint32_t executed;
	uint8_t count;
};

/* Returns the atoms of an ETMv4 or ETE packet by its header: an atom packet
 * (0xc0 to 0xff), or a misprediction packet (0x30 to 0x3f).
 */
struct coresight_atoms coresight_atoms_of(uint8_t header);

/* The addresses that an ETMv4 or ETE packet can refer to, newest first. */
struct coresight_addresses {
	struct coresight_address {
		uint64_t value;
		uint8_t isa; /* 0 or 1; with the context: A64, A32, T32 */
	} last[3];
	bool is_64bit; /* by the last context */
};

enum { CORESIGHT_ADDRESS_SIZE = 9 };

/* Records the address of @packet (kinds ADDRESS and SOURCE), which is complete,
 * and writes an equivalent packet of CORESIGHT_ADDRESS_SIZE bytes that does not
 * depend on earlier addresses. Returns the number of bytes of @packet that it
 * replaces: a context may follow.
 */
size_t coresight_address_expand(struct coresight_addresses *addresses,
				const uint8_t *packet, uint8_t *expanded);

/* Parses the fields of complete ETMv4 or ETE packets (Arm IHI 0064,
 * "Instruction trace protocol").
 */

/* Reads the number at @bytes into *@number: 7 bits a byte, ending with a byte
 * whose bit 7 is 0 or after @most bytes. Returns its size in bytes.
 */
size_t coresight_number(const uint8_t *bytes, size_t most, uint32_t *number);

/* The meaning of an extension packet. */
enum coresight_extension {
	CORESIGHT_EXTENSION_BAD,
	CORESIGHT_EXTENSION_SYNC,
	CORESIGHT_EXTENSION_DISCARD,
	CORESIGHT_EXTENSION_OVERFLOW,
};

enum coresight_extension coresight_extension_of(const uint8_t *bytes,
						size_t size);

/* Returns an exception packet's type. */
static inline uint8_t coresight_exception_type(const uint8_t *bytes)
{
	return bytes[1] >> 1 & 0x1f;
}

enum { CORESIGHT_FAILED_TRANSACTION = 24 };

/* Returns whether an address follows exception @packet: ETE's resets and failed
 * transactions have none.
 */
bool coresight_exception_has_address(const struct coresight_packet *packet,
				     const uint8_t *bytes);

/* Returns whether packets of @kind may come between an exception and its
 * address.
 */
bool coresight_may_precede_address(uint8_t kind);

/* Sets *@count to the number of elements that a commit or cycle count packet
 * commits, for a unit with at most @depth uncommitted ones. Returns false if no
 * such unit could have sent it.
 */
bool coresight_commits(const struct coresight_packet *packet,
		       const uint8_t *bytes, size_t depth, size_t *count);

/* Returns the number of elements that a cancel or mispredict packet cancels. */
size_t coresight_cancels(const struct coresight_packet *packet,
			 const uint8_t *bytes);

/* Hides packets from OpenCSD (1.3 and 1.5) that make it read past the end of an
 * empty list: those that commit, cancel or correct speculation. A unit without
 * speculation (TRCIDR8 is 0) writes none, but damage can produce them. For
 * units with speculation see speculation_internal.h.
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
