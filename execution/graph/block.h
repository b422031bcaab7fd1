/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_H
#define KT_EXECUTION_BLOCK_H

#include "symbolize/functions/address_map.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of a piece of code that runs from its begin to its end: open data,
 * which whoever goes along the graph reads in place.
 */

/* No block: what an edge leads to until it is first taken. */
#define BLOCK_NONE 0

/* This is what the last instruction of a block does, or why it ends. */
enum block_kind {
	BLOCK_UNREAD, /* its code changed: it is to be read again */
	BLOCK_FALL,   /* it is long: the next one follows */
	BLOCK_JUMP,
	BLOCK_CALL,
	/* Where to these lead, the trace tells: */
	BLOCK_CONDITIONAL,
	BLOCK_RETURN,
	BLOCK_INDIRECT_JUMP,
	BLOCK_INDIRECT_CALL,
	BLOCK_FAR_CALL,
	BLOCK_FAR_RETURN,
	BLOCK_FAR_JUMP,
	/* These hold no instruction: */
	BLOCK_NO_CODE,	    /* no bytes are known there */
	BLOCK_CODE_CHANGED, /* they became different, unknown when */
	BLOCK_UNKNOWN,	    /* no instruction that is known */
};

/* Returns whether a block of @kind ends in a branch whose target the trace
 * names.
 */
static inline bool block_takes_target(enum block_kind kind)
{
	return kind >= BLOCK_RETURN && kind <= BLOCK_FAR_JUMP;
}

/* The edges of a block. */
enum block_edge {
	EDGE_NEXT,  /* to what is right behind */
	EDGE_TAKEN, /* to where its direct branch leads, or its
				 * indirect one led last */
};

/* This is what it means to go along an edge. */
enum block_passage {
	PASSAGE_INSIDE, /* the function goes on */
	PASSAGE_CALL,
	PASSAGE_LOCAL_CALL, /* into the function that calls */
	PASSAGE_TAIL_CALL,
	PASSAGE_RETURN,
	PASSAGE_THUNK_RETURN, /* to a thunk, which may be nothing but a
				 * return; else as PASSAGE_OTHER */
	PASSAGE_OTHER,	      /* it depends on what was before */
	PASSAGE_NEW,	      /* nobody went there: to is BLOCK_NONE */
	/* As PASSAGE_OTHER, where thunks of indirect branches are nothing else:
	 * from plain code by a call, on to another, to plain code.
	 */
	PASSAGE_TO_THUNK,
	PASSAGE_IN_THUNK,
	PASSAGE_FROM_THUNK,
};

/* Instructions that run one after the other, up to a branch.  The graph's hot
 * part: two fit into a cache line.
 */
struct block {
	uint64_t ip;	   /* the first instruction */
	uint32_t ways[2];  /* of its edges, by enum block_edge; of what returns,
			    * and from what calls to what is behind it, with
			    * PASSAGE_RETURN if it is plain */
	uint32_t work;	   /* see BLOCK_WORK_SLOW */
	uint32_t function; /* see function_table.h */
	uint16_t bytes;
	uint8_t kind;  /* enum block_kind */
	uint8_t exit;  /* enum flow_exit */
	bool is_entry; /* ip is where its function may be entered */
	bool is_user;
	bool is_plain; /* code of an ordinary function: no thunk, nor where the
			* kernel changes tasks */
};

/* Where an edge leads to, and what it means to go there, in one word: the number
 * of the block above, enum block_passage in the low bits.  PASSAGE_INSIDE being
 * 0, such a way says how far from the first block the other is.
 */
enum { BLOCK_WAY_SHIFT = 5, BLOCK_WAY_MASK = (1 << BLOCK_WAY_SHIFT) - 1 };

_Static_assert(sizeof(struct block) == 1 << BLOCK_WAY_SHIFT,
	       "ways are offsets");
_Static_assert((int)PASSAGE_FROM_THUNK <= (int)BLOCK_WAY_MASK,
	       "passages fit in a way");

/* There are no more blocks. */
#define BLOCK_MOST ((uint32_t)1 << (32 - BLOCK_WAY_SHIFT))

/* Returns the block that @way leads to, from the first one, @blocks. */
static inline const struct block *block_at(const struct block *blocks,
					   uint32_t way)
{
	return &blocks[way >> BLOCK_WAY_SHIFT];
}

/* The same for a way inside of a function. */
static inline const struct block *block_inside(const struct block *blocks,
					       uint32_t way)
{
	return (const void *)((const char *)blocks + way);
}

static inline uint32_t block_way(uint32_t to, uint8_t passage)
{
	return to << BLOCK_WAY_SHIFT | passage;
}

static inline uint32_t block_to(const struct block *block, enum block_edge edge)
{
	return block->ways[edge] >> BLOCK_WAY_SHIFT;
}

/* Returns the passage of @way, for who does not tell thunks apart. */
static inline uint8_t block_way_passage(uint32_t way)
{
	uint8_t passage = way & BLOCK_WAY_MASK;

	return passage <= PASSAGE_NEW ? passage : PASSAGE_OTHER;
}

static inline uint8_t block_passage(const struct block *block,
				    enum block_edge edge)
{
	return block_way_passage(block->ways[edge]);
}

/* Returns whether to go along @edge is @passage, which may be any. */
static inline bool block_passes(const struct block *block, enum block_edge edge,
				enum block_passage passage)
{
	return (block->ways[edge] & BLOCK_WAY_MASK) == passage;
}

/* Returns what it means that control came to @to by a return from code that
 * @is_plain or is not.
 */
static inline uint8_t block_returned(bool is_plain, const struct block *to)
{
	return is_plain && to->is_plain ? PASSAGE_RETURN : PASSAGE_OTHER;
}

/* Work is a count of instructions; a block that may take much longer than its
 * count says has this on top.
 */
#define BLOCK_WORK_SLOW ((uint32_t)1 << 31)

/* The instructions in the work of some blocks, and how many of these may take
 * much longer.
 */
static inline uint64_t block_work_instructions(uint64_t work)
{
	return work & (BLOCK_WORK_SLOW - 1);
}

static inline uint64_t block_work_slow(uint64_t work)
{
	return work / BLOCK_WORK_SLOW;
}

/* The rest of what is known of a block. */
struct block_info {
	struct symbol symbol;
	uint64_t target; /* of a direct branch */
	uint32_t space;
	uint32_t next_in_page;	/* the next block that begins in its page */
	uint16_t last;		/* where its last instruction begins */
	uint8_t set;		/* enum instruction_set */
	bool switches_trace;	/* wrmsr is among its instructions */
	bool writes_page_table; /* its last one does: mov to cr3 */
};

#endif
