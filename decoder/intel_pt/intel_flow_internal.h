/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_INTEL_FLOW_INTERNAL_H
#define KT_DECODER_INTEL_PT_INTEL_FLOW_INTERNAL_H

#include "decoder/flow/branch_source.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"

/* The state of the reader in intel_branches_internal.h, and the effect of each
 * packet on it. intel_branches.c reads the packets, consumes runs of frequent
 * ones itself, and sets the times of branches.
 */

/* The largest number of branches that one packet adds. */
enum { MOST_AT_ONCE = 4 };

/* No overflow waits for the address where execution resumes. */
#define NO_OVERFLOW SIZE_MAX

/* The events that wait for the address in the next FUP. */
enum waiting {
	WAITING_BOUND = 1 << 0, /* execution continues at the FUP's address */
	WAITING_TRANSACTION = 1 << 1,
	WAITING_PTWRITE = 1 << 2,
};

/* Between PSB and PSBEND: the state that a sync point repeats. */
struct header {
	bool is_open;
	bool has_address;
	bool has_time; /* has a TSC packet */
	uint64_t address;
	size_t position; /* of the PSB */
};

/* While a branch waits for the next anchor, low and high are the time since the
 * previous anchor by CYC, at the CYC before and after the branch.
 */
struct intel_branches {
	/* address of byte 0, which need not be readable */
	const uint8_t *bytes;
	size_t size;
	size_t at;		      /* position of the next packet */
	intel_psb_reach_bytes *reach; /* NULL: all bytes are readable */
	void *reach_ctx;
	struct intel_packet_context context;
	struct intel_clock clock;
	uint32_t errata; /* enum intel_erratum */
	struct header header;
	uint64_t last_ip;     /* addresses are compressed against it */
	uint8_t waiting;      /* enum waiting: events that wait for a FUP */
	uint64_t transaction; /* the payload of a TRACE_TRANSACTION */
	uint64_t ptwrite;
	/* no event waited for the last FUP: the next TIP is an interrupt's */
	bool breaks_off;

	struct trace_branch *branches;
	size_t room;
	size_t count;
	size_t closed;	    /* number of branches with final bounds */
	uint64_t last_high; /* state of branch_window_pass() */
	size_t no_high;	    /* index of the first branch without a later CYC */
	size_t taken;	    /* provided by the last call */
	/* index of the TRACE_OVERFLOW that waits for a FUP, or NO_OVERFLOW */
	size_t overflow;
	uint64_t base; /* base of the branches' positions */
	/* the last CYC gives the time of the following packet */
	bool has_fresh_cyc;
	/* the last packet was a TNT, and the last branch is from it */
	bool has_open_tnt;
	bool open_tnt_was_fresh;
	bool after_anchor; /* no branch since the anchor */
	bool at_end;
	uint64_t pause_at; /* as for branch_source_pause_at() */
	/* number of branches to provide at once, if available */
	size_t enough;
};

/* Smallest number of bytes to make readable at once: more than a batch of
 * packets takes; the longest packet has 16 bytes.
 */
#define INTEL_REACH_BYTES ((size_t)1 << 15)

/* Makes the bytes from b->at up to INTEL_REACH_BYTES after @at readable. @at
 * must not be before b->at.
 */
static inline void intel_branches_see(struct intel_branches *b, size_t at)
{
	if (b->reach)
		b->bytes =
			b->reach(b->reach_ctx, b->at, at + INTEL_REACH_BYTES);
}

/* Adds a branch at the position of the current packet, or between PSB and
 * PSBEND at that of the PSB. There must be room: see MOST_AT_ONCE.
 */
static inline struct trace_branch *
intel_branches_add(struct intel_branches *b, uint8_t kind, uint64_t payload)
{
	struct trace_branch *branch = &b->branches[b->count++];
	size_t at = b->header.is_open ? b->header.position : b->at;

	*branch = (struct trace_branch){
		.payload = payload,
		.low = b->clock.elapsed,
		.high = b->clock.elapsed,
		.estimate = b->clock.elapsed,
		.position = (uint32_t)(at - b->base),
		.kind = kind,
	};
	return branch;
}

/* Sets the upper bound by CYC of the branches that had none: the time counted
 * so far.
 */
static inline void intel_branches_set_highs(struct intel_branches *b)
{
	for (; b->no_high < b->count; b->no_high++)
		b->branches[b->no_high].high = b->clock.elapsed;
}

/* Returns the address in a packet's @payload, and stores it in b->last_ip.
 * @compression (IPBytes) must be one with an address: Intel SDM, volume 3, "IP
 * Compression".
 */
static inline uint64_t intel_branches_address(struct intel_branches *b,
					      uint8_t compression,
					      uint64_t payload)
{
	b->last_ip = intel_address(b->last_ip, compression, payload);
	return b->last_ip;
}

/* Returns whether an address with @compression shares bits with the previous
 * one.
 */
static inline bool intel_address_is_partial(uint8_t compression)
{
	return compression != 3 && compression != 6;
}

/* Returns whether a TNT of @bits may be full. A TNT is written when it is full,
 * or before a packet of another kind; only in the first case did its last
 * branch run at that moment. Some implementations fill packets of 6 bits, some
 * of 47.
 */
static inline bool intel_tnt_may_be_full(uint8_t bits)
{
	return bits == 6 || bits == 47;
}

/* Sets the time to @anchor, by an MTC if @is_mtc, and the bounds of all
 * branches so far.
 */
void set_anchor(struct intel_branches *branches, uint64_t anchor, bool is_mtc);

/* Makes room for @more branches, at most the present room, and those of one
 * more packet. Returns false when out of memory.
 */
bool intel_branches_make_room(struct intel_branches *branches, size_t more);

/* Removes the branches provided, and moves the waiting ones to the front. */
void intel_branches_drop_taken(struct intel_branches *branches);

/* Consumes @packet. Must not be called for damage. */
void intel_branches_consume(struct intel_branches *branches,
			    const struct intel_packet *packet);

/* Skips the bytes up to the next PSB, which are damaged, and adds a gap: with
 * the PSB that they belong to, if there is one. Extends a gap right before.
 */
void intel_branches_skip_damage(struct intel_branches *branches);

#endif
