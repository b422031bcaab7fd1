/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_BRANCHES_PARTS_H
#define KT_DECODER_INTEL_BRANCHES_PARTS_H

#include "decoder/flow/trace_branch.h"
#include "decoder/intel_pt/intel_branches.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/intel_pt/intel_setup.h"

/* The inside of intel_branches.h, shared by its files: intel_branches.c reads
 * packets and sets times, intel_branches_flow.c tells what packets mean.
 */

/* This is what one packet adds at most. */
enum { MOST_AT_ONCE = 4 };

/* No overflow waits to be told where execution goes on. */
#define NO_OVERFLOW SIZE_MAX

/* Who the next FUP tells the place of. */
enum waiting {
	WAITING_BOUND = 1 << 0, /* it is nothing else's */
	WAITING_TRANSACTION = 1 << 1,
	WAITING_PTWRITE = 1 << 2,
};

/* Between PSB and PSBEND: the state that a synchronisation point repeats. */
struct header {
	bool is_open;
	bool has_address;
	bool has_time; /* a TSC packet is among its packets */
	uint64_t address;
	size_t position; /* of the PSB */
};

/* While a branch waits for the next anchor, low and high are what CYC says has
 * elapsed since the anchor before, at the CYC before and after the branch.
 */
struct intel_branches {
	const uint8_t *bytes; /* where the first is, or would be */
	size_t size;
	size_t at;		      /* the next packet */
	intel_psb_reach_bytes *reach; /* NULL: all are */
	void *reach_ctx;
	struct intel_packet_context context;
	struct intel_clock clock;
	uint32_t errata; /* enum intel_erratum */
	struct header header;
	uint64_t last_ip;     /* addresses are compressed against it */
	uint8_t waiting;      /* enum waiting: who the next FUP is for */
	uint64_t transaction; /* the payload of a TRACE_TRANSACTION */
	uint64_t ptwrite;
	bool breaks_off; /* a FUP came for nobody: the next TIP is an
				 * interrupt's */

	struct trace_branch *branches;
	size_t room;
	size_t count;
	size_t closed;	    /* bounds are final before this one */
	uint64_t last_high; /* branch_window_pass()'s */
	size_t no_high;	    /* from here on no CYC came after */
	size_t taken;	    /* handed out by the last call */
	size_t overflow;    /* waits for its FUP, or NO_OVERFLOW */
	uint64_t base;	    /* what positions are counted from */
	bool has_fresh_cyc; /* it belongs to the packet that follows */
	bool has_open_tnt;  /* the last packet is one, the last branch it */
	bool open_tnt_was_fresh;
	bool after_anchor; /* no branch came since */
	bool at_end;
};

/* This is asked for at once, at least: more than a batch of packets takes, whose
 * longest has 16 bytes.
 */
#define INTEL_REACH_BYTES ((size_t)1 << 15)

/* Makes what follows @at, which is b->at or behind, readable. */
static inline void intel_branches_see(struct intel_branches *b, size_t at)
{
	if (b->reach)
		b->bytes =
			b->reach(b->reach_ctx, b->at, at + INTEL_REACH_BYTES);
}

/* Adds one; what a PSB repeats has the PSB's position.  There is room: see
 * MOST_AT_ONCE.
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

/* Adds one whose packet has a time of its own. */
static inline struct trace_branch *
intel_branches_add_timed(struct intel_branches *b, uint8_t kind,
			 uint64_t payload, bool is_exact)
{
	struct trace_branch *branch = intel_branches_add(b, kind, payload);
	/* Where nothing was counted since the anchor, nothing ran, but for
	 * what was lost.
	 */
	bool is_fresh = b->has_fresh_cyc ||
			(b->after_anchor && kind != TRACE_OVERFLOW);

	branch->is_timed = true;
	branch->is_exact = is_exact;
	branch->has_estimate = is_exact && is_fresh;
	if (b->has_fresh_cyc)
		b->no_high = b->count;
	b->open_tnt_was_fresh = b->has_fresh_cyc;
	b->has_open_tnt = false;
	b->has_fresh_cyc = false;
	b->after_anchor = false;
	b->overflow = NO_OVERFLOW;
	return branch;
}

/* Returns the address that a packet's @payload stands for, whose compression
 * (IPBytes) is not one that leaves it out: Intel SDM, volume 3, "IP
 * Compression".
 */
static inline uint64_t intel_branches_address(struct intel_branches *b,
					      uint8_t compression,
					      uint64_t payload)
{
	b->last_ip = intel_address(b->last_ip, compression, payload);
	return b->last_ip;
}

/* Returns whether such an address shares bits with the one before. */
static inline bool intel_address_is_partial(uint8_t compression)
{
	return compression != 3 && compression != 6;
}

/* A TNT is written when it is full, or when the packet that follows needs it
 * out of the way; only in the first case did its last branch run just then.
 * Some implementations fill packets of 6 bits, some of 47.
 */
static inline bool intel_tnt_may_be_full(uint8_t bits)
{
	return bits == 6 || bits == 47;
}

/* Takes the packet that ends behind @count branches. */
static inline void intel_branches_take_tnt(struct intel_branches *b,
					   uint64_t bits, uint8_t count)
{
	struct trace_branch *branch;

	if (!count)
		return;
	b->breaks_off = false;
	branch = intel_branches_add_timed(b, TRACE_BITS, bits,
					  intel_tnt_may_be_full(count));
	branch->count = count;
	b->has_open_tnt = true;
}

/* The time is @anchor, by an MTC if @is_mtc: branches so far have their bounds.
 */
void intel_branches_take_anchor(struct intel_branches *branches,
				uint64_t anchor, bool is_mtc);

/* Takes @packet, which is neither of time nor a TNT of one byte. */
void intel_branches_take_flow(struct intel_branches *branches,
			      const struct intel_packet *packet);

/* Who waits for a FUP or TIP waits in vain. */
void intel_branches_forget(struct intel_branches *branches);

#endif
