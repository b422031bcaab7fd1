/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_BRANCHES_INTERNAL_H
#define KT_DECODER_CORESIGHT_BRANCHES_INTERNAL_H

#include "decoder/coresight/packet_internal.h"
#include "decoder/flow/branch_source.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_feed;
struct coresight_unit;

/* Branches, some of which are not committed yet. Committed branches are final;
 * the others may be taken back.
 */
struct branch_list {
	struct trace_branch *branches;
	size_t room;
	size_t count;
	/* number of final branches, the first ones */
	size_t committed;
	uint64_t base; /* base of the branches' positions */
	/* takes the added branch when out of memory; has_failed is then set */
	struct trace_branch spare;
	bool has_failed;
};

/* Makes room for more. Returns false when out of memory. */
bool branch_list_grow(struct branch_list *list);

/* Adds a branch of @position. The result is valid until the next addition. */
static inline struct trace_branch *
branch_list_add(struct branch_list *list, uint8_t kind, uint64_t position)
{
	struct trace_branch *branch = &list->spare;

	if (list->count < list->room || branch_list_grow(list))
		branch = &list->branches[list->count++];
	*branch = (struct trace_branch){
		.kind = kind,
		.position = position < list->base ?
				    0 :
				    (uint32_t)(position - list->base),
	};
	return branch;
}

/* Commits all branches. */
static inline void branch_list_commit(struct branch_list *list)
{
	list->committed = list->count;
}

enum { CORESIGHT_BRANCH_PACKET = 32 };

/* Converts ETMv4 or ETE packets to branches (Arm IHI 0064, "Instruction
 * trace"). The packets must be of committed execution: for a unit with
 * speculation coresight_speculation filters them before.
 *
 * Information about the next instruction is committed by an atom, an exception
 * or a source address. Until then it may be taken back.
 */
struct coresight_branches {
	const struct coresight_feed *feed;
	const struct coresight_unit *unit;
	/* by header; the oldest atom is highest */
	struct coresight_atoms atoms[UINT8_MAX + 1];

	/* The current packet. */
	struct coresight_packet packet;
	uint64_t index; /* number of its first byte */
	uint8_t size;
	uint8_t bytes[CORESIGHT_BRANCH_PACKET];

	/* State from earlier packets. */
	uint8_t state; /* enum coresight_branches_state */
	bool is_new;   /* the session's first branch is due */
	bool needs_context;
	bool awaits_address; /* an exception waits for its address: */
	uint8_t exception;   /* TRACE_EXCEPTION_ bits */
	uint64_t exception_position;
	/* the last packet was a discard or an overflow: its gap is due */
	bool was_discarded;
	/* trace was lost by an overflow, and tracing has not resumed */
	bool had_overflow;
	struct coresight_addresses addresses;
	uint64_t ticks; /* the last time stamp */
	struct tick_span span;
	uint32_t threshold; /* cycle count threshold */

	struct branch_list list;
	/* if the next packet has this index and is of atoms, it extends the
	 * last branch
	 */
	uint64_t group_next;
};

/* Initializes *@branches. Borrows @feed. */
void coresight_branches_init(struct coresight_branches *branches,
			     const struct coresight_feed *feed);

void coresight_branches_free(struct coresight_branches *branches);

/* Resets decoding: the next bytes are packets of feed->unit, unrelated to
 * earlier ones.
 */
void coresight_branches_reset(struct coresight_branches *branches);

/* Discards all branches after a seek of the feed. */
void coresight_branches_restart(struct coresight_branches *branches);

/* Consumes the next @size bytes of packets; the first byte has number @index.
 * Returns @size; if a packet is invalid, returns less: the number of bytes up
 * to where that was found, at most @size - 1.
 */
size_t coresight_branches_consume(struct coresight_branches *branches,
				  uint64_t index, const uint8_t *bytes,
				  size_t size);

/* Commits or drops the waiting branches. Must be called at the end of a
 * session.
 */
void coresight_branches_finish(struct coresight_branches *branches);

/* Discards the first branches, which are committed. */
void coresight_branches_drop(struct coresight_branches *branches);

#endif
