/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_GUARD_H
#define KT_DECODER_CORESIGHT_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_unit;

/* Keeps from OpenCSD what it falls over (1.3 and 1.5): packets that commit,
 * cancel or correct what was speculated, where nothing was.  Its ETMv4 decoder
 * reads behind an empty list if one comes right behind an exception
 * (processException()), or behind an address without an atom before it
 * (mispredictAtom()).  A unit without speculation (TRCIDR8 0) writes none; damage
 * makes them.  With others nothing is kept back.
 *
 * Follows ETMv4's and ETE's packets (Arm IHI 0064, "Instruction trace
 * protocol") from one synchronisation packet on, and gives up until the next at
 * those of conditional and Q elements, which no unit of Linux's sends.
 */
struct coresight_guard {
	bool is_following;
	bool counts_commits;	/* TRCIDR0.COMMOPT is 0 */
	uint8_t context_sizes[2];	/* of the VMID and the context id */
	bool awaits_address;	/* the last packets were an exception's */

	uint8_t header;		/* of the packet under way, if in_packet */
	bool in_packet;
	uint8_t at;		/* its bytes so far, the header included */
	uint8_t fixed;		/* bytes to come */
	uint8_t fields;		/* that go on while bit 7 is set, to come */
	uint8_t field_size;	/* bytes of the one under way */
	uint8_t field_max;	/* or 0 */
	bool has_context;	/* comes last */
};

/* A synchronisation packet of @unit came before. */
void coresight_guard_begin(struct coresight_guard *guard,
			   const struct coresight_unit *unit);

/* Returns how many of the next @size bytes OpenCSD may be given: all, or those
 * before the one that it must not see.
 */
size_t coresight_guard_pass(struct coresight_guard *guard,
			    const uint8_t *bytes, size_t size);

#endif
