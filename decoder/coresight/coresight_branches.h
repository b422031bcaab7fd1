/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_BRANCHES_H
#define KT_DECODER_CORESIGHT_BRANCHES_H

#include "decoder/coresight/branch_list.h"
#include "decoder/coresight/coresight_address.h"
#include "decoder/coresight/coresight_atoms.h"
#include "decoder/coresight/coresight_packet.h"
#include "decoder/flow/trace_branch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_feed;
struct coresight_unit;

enum { CORESIGHT_BRANCH_PACKET = 32 };

/* How far behind a synchronisation packet. */
enum coresight_branches_state {
	CORESIGHT_BRANCHES_LOST,   /* one is to come */
	CORESIGHT_BRANCHES_SYNCED, /* trace info is to come */
	CORESIGHT_BRANCHES_READ,
};

/* The packets of an ETMv4 or ETE as branches: those of what was executed
 * alone, as coresight_speculation makes them if need be (Arm IHI 0064,
 * "Instruction trace").
 *
 * What a packet says of what comes next counts when there is a next: an atom,
 * an exception or a source address.  Until then it may be taken back.
 */
struct coresight_branches {
	const struct coresight_feed *feed;
	const struct coresight_unit *unit;
	struct coresight_atoms atoms[UINT8_MAX + 1]; /* by header, the
							 * oldest highest */

	/* The packet under way. */
	struct coresight_packet packet;
	uint64_t index; /* of its first byte */
	uint8_t size;
	uint8_t bytes[CORESIGHT_BRANCH_PACKET];

	/* This is what is known from those before. */
	uint8_t state; /* enum coresight_branches_state */
	bool is_new;   /* the session's first branch is due */
	bool needs_context;
	bool awaits_address; /* of an exception: */
	uint8_t exception;   /* TRACE_EXCEPTION_ bits */
	uint64_t exception_position;
	bool was_discarded; /* until the next packet */
	bool had_overflow;  /* until tracing is on */
	struct coresight_addresses addresses;
	uint64_t ticks;	    /* the last time stamp */
	uint32_t threshold; /* of cycle counts */

	struct branch_list list;
	uint64_t group_next; /* a packet of atoms with this index belongs to the
			      * last branch */
};

/* Borrows @feed.  All the rest of *@branches is 0. */
void coresight_branches_init(struct coresight_branches *branches,
			     const struct coresight_feed *feed);
void coresight_branches_free(struct coresight_branches *branches);

/* What comes next are packets of feed->unit that have nothing to do with those
 * before.
 */
void coresight_branches_reset(struct coresight_branches *branches);

/* Forgets all branches: the feed went to another place. */
void coresight_branches_restart(struct coresight_branches *branches);

/* Takes the next packets' bytes, the first of which has number @index.  Returns
 * how many make sense, up to the one that makes none.
 */
size_t coresight_branches_take(struct coresight_branches *branches,
			       uint64_t index, const uint8_t *bytes,
			       size_t size);

/* Nothing comes behind what was taken: it counts, or never will. */
void coresight_branches_finish(struct coresight_branches *branches);

/* Where the packet under way begins, in the stream's bytes. */
uint64_t coresight_branches_position(const struct coresight_branches *branches);

/* Adds a branch of the packet under way. */
struct trace_branch *coresight_branches_say(struct coresight_branches *branches,
					    uint8_t kind);

/* Forgets the first branches, which are committed. */
void coresight_branches_drop(struct coresight_branches *branches);

#endif
