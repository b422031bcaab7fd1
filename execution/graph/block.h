/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_H
#define KT_EXECUTION_BLOCK_H

/* A node of the control flow graph: a piece of code up to its first branch.
 * Users of the graph (block_graph.h) read it in place, in the loop over all
 * branches; only the graph writes it.
 *
 *	struct block        read at each execution: kind, edges, work, function
 *	struct block_info   the rest: symbol, target, code space
 *
 * 1. An edge is one word, target and kind together, so that a look-up is one
 *    load. In an edge inside a function the target is an offset in bytes from
 *    the first block.
 * 2. Block number 0, BLOCK_NONE, is not code; it is the target of an edge whose
 *    kind is EDGE_KIND_NEW, and of no other.
 * 3. The kind of an edge is its effect on the call stack, if that depends on
 *    the edge alone; else it is EDGE_KIND_OTHER, or one of the kinds for
 *    thunks.
 */

#include "symbolize/functions/address_map.h"

#include <stdbool.h>
#include <stdint.h>

/* No block: the target of an edge until it is first taken. */
#define BLOCK_NONE 0

/* The kind of a block's last instruction, or the reason why the block ends. */
enum block_kind {
	BLOCK_UNREAD, /* its code changed: it must be read again */
	BLOCK_FALL,   /* cut because it is long; the next one follows */
	BLOCK_JUMP,
	BLOCK_CALL,
	/* What follows these is in the trace: whether a conditional branch is
	 * taken, else the target.
	 */
	BLOCK_CONDITIONAL,
	BLOCK_RETURN,
	BLOCK_INDIRECT_JUMP,
	BLOCK_INDIRECT_CALL,
	BLOCK_FAR_CALL,
	BLOCK_FAR_RETURN,
	BLOCK_FAR_JUMP,
	/* These contain no instruction: */
	BLOCK_NO_CODE,	    /* no bytes are known at the address */
	BLOCK_CODE_CHANGED, /* the bytes changed at an unknown time */
	BLOCK_UNKNOWN,	    /* not a known instruction */
	BLOCK_GENERATED,    /* generated code whose bytes are unknown */
};

/* Returns whether a block of @kind ends in a branch whose target is in the
 * trace.
 */
static inline bool block_takes_target(enum block_kind kind)
{
	return kind >= BLOCK_RETURN && kind <= BLOCK_FAR_JUMP;
}

/* The edges of a block. */
enum block_edge {
	EDGE_NEXT, /* to the next instruction */
	/* to the target of its direct branch, or to the last target of its
	 * indirect one
	 */
	EDGE_TAKEN,
};

/* The kind of an edge: its effect on the call stack. */
enum edge_kind {
	EDGE_KIND_INSIDE, /* stays in the function */
	EDGE_KIND_CALL,
	EDGE_KIND_LOCAL_CALL, /* a call into the calling function itself */
	EDGE_KIND_TAIL_CALL,
	EDGE_KIND_RETURN,
	/* to a thunk that may turn out to be a return only; if it does not,
	 * like EDGE_KIND_OTHER
	 */
	EDGE_KIND_THUNK_RETURN,
	/* stays in the function, but enters or leaves calls that the compiler
	 * inlined there
	 */
	EDGE_KIND_INLINED,
	EDGE_KIND_OTHER, /* depends on the edges before */
	EDGE_KIND_NEW,	 /* the edge was never taken: to is BLOCK_NONE */
	/* Like EDGE_KIND_OTHER, for thunks that only branch indirectly. In this
	 * order: a call from other code to a thunk; a jump from thunk to thunk;
	 * a jump from a thunk to other code.
	 */
	EDGE_KIND_TO_THUNK,
	EDGE_KIND_IN_THUNK,
	EDGE_KIND_FROM_THUNK,
};

/* Consecutive instructions up to a branch. The part of the graph used most
 * often: two fit into a cache line.
 */
struct block {
	uint64_t ip; /* the first instruction */
	/* edges, by enum block_edge. The kind EDGE_KIND_RETURN is used for
	 * EDGE_TAKEN of a return if this block is plain (is_plain), and for
	 * EDGE_NEXT of a call if the block after it is plain.
	 */
	uint32_t edges[2];
	uint32_t work;	   /* see BLOCK_WORK_SLOW */
	uint32_t function; /* see function_table.h */
	uint16_t bytes;
	uint8_t kind;  /* enum block_kind */
	uint8_t exit;  /* enum flow_exit */
	bool is_entry; /* its function may be entered at ip */
	bool is_user;
	/* code of an ordinary function: not a thunk, nor the kernel's task
	 * switch, nor a function with inlined calls to be shown
	 */
	bool is_plain;
	/* enum instruction_interrupts of its last instruction; 0 unless
	 * block_graph_set_interrupts()
	 */
	uint8_t interrupts;
};

/* An edge in one word: its target, the number of a struct block, in the high
 * bits and its enum edge_kind in the low bits. Since EDGE_KIND_INSIDE is 0,
 * such an edge is also the distance from the first block.
 */
enum { BLOCK_EDGE_SHIFT = 5, BLOCK_EDGE_MASK = (1 << BLOCK_EDGE_SHIFT) - 1 };

_Static_assert(sizeof(struct block) == 1 << BLOCK_EDGE_SHIFT,
	       "edges are offsets");
_Static_assert((int)EDGE_KIND_FROM_THUNK <= (int)BLOCK_EDGE_MASK,
	       "edge kinds fit in a word");

/* Limit on the number of blocks. */
#define BLOCK_MOST ((uint32_t)1 << (32 - BLOCK_EDGE_SHIFT))

/* Returns the target block of edge @word; @blocks is the first block. */
static inline const struct block *block_at(const struct block *blocks,
					   uint32_t word)
{
	return &blocks[word >> BLOCK_EDGE_SHIFT];
}

/* Like block_at(), for an edge inside a function. */
static inline const struct block *block_inside(const struct block *blocks,
					       uint32_t word)
{
	return (const void *)((const char *)blocks + word);
}

static inline uint32_t block_edge_word(uint32_t to, uint8_t edge_kind)
{
	return to << BLOCK_EDGE_SHIFT | edge_kind;
}

static inline uint32_t block_to(const struct block *block, enum block_edge edge)
{
	return block->edges[edge] >> BLOCK_EDGE_SHIFT;
}

/* Returns the edge kind of @word, with thunks not distinguished. */
static inline uint8_t edge_word_kind(uint32_t word)
{
	uint8_t edge_kind = word & BLOCK_EDGE_MASK;

	return edge_kind <= EDGE_KIND_NEW ? edge_kind : EDGE_KIND_OTHER;
}

static inline uint8_t block_edge_kind(const struct block *block,
				      enum block_edge edge)
{
	return edge_word_kind(block->edges[edge]);
}

/* Returns whether the kind of @edge is @edge_kind, any of enum edge_kind. */
static inline bool block_edge_is(const struct block *block,
				 enum block_edge edge, enum edge_kind edge_kind)
{
	return (block->edges[edge] & BLOCK_EDGE_MASK) == edge_kind;
}

/* Returns the edge kind of a return to block @to; @is_plain is that of the
 * returning block.
 */
static inline uint8_t block_returned(bool is_plain, const struct block *to)
{
	return is_plain && to->is_plain ? EDGE_KIND_RETURN : EDGE_KIND_OTHER;
}

/* Work is an instruction count; the value for a block that may take much longer
 * than its count has this bit added.
 */
#define BLOCK_WORK_SLOW ((uint32_t)1 << 31)

/* Return the parts of @work, a sum over blocks: the number of instructions, and
 * the number of blocks that may take much longer.
 */
static inline uint64_t block_work_instructions(uint64_t work)
{
	return work & (BLOCK_WORK_SLOW - 1);
}

static inline uint64_t block_work_slow(uint64_t work)
{
	return work / BLOCK_WORK_SLOW;
}

/* The rest of a block's data, used less often. */
struct block_info {
	struct symbol symbol;
	uint64_t target; /* of a direct branch */
	uint32_t space;
	uint16_t last;		/* offset of its last instruction */
	uint8_t set;		/* enum instruction_set */
	bool writes_page_table; /* its last instruction does: mov to cr3 */
};

/* The inlined calls of a block. */
struct block_inlined {
	bool is_known;	  /* the function has inlined calls */
	uint32_t site;	  /* the innermost one, see function_table.h; 0: none */
	uint32_t entries; /* number of inlined calls that begin here */
	uint64_t end;	  /* the block ends here at the latest */
};

#endif
