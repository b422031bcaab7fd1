/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_H
#define KT_EXECUTION_EXECUTION_H

#include "decoder/flow/trace_branch.h"
#include "decoder/recording/trace_filter.h"
#include "execution/graph/block_graph.h"
#include "execution/graph/return_stack.h"
#include "execution/time/event_times.h"
#include "execution/time/tick_scale.h"
#include "execution/walk/atom_state.h"
#include "execution/walk/event_marks.h"
#include "symbolize/events/thunk_fold.h"

#include <stdbool.h>
#include <stdint.h>

/* The state of one stream's execution, which all files here share: walk.c goes
 * along the graph, transfer.c tells what each way to another place means,
 * moment.h tells when it is.
 */

struct code_space;

/* Ways to reach a block that are no enum flow_exit. */
enum {
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY, /* from user space */
	EXIT_UNSEEN,
	EXIT_GUEST, /* from a virtual machine that was entered here */
};

/* Where execution is with regard to virtual machines: see follow_guest.h. */
enum guest_state {
	GUEST_NONE,	/* in the host */
	GUEST_ENTERING, /* the next branch enters one */
	GUEST_INSIDE,
	GUEST_LEAVING, /* the next branch leaves it */
	GUEST_HIDDEN,  /* inside, and the trace unit is off there */
	GUEST_UNKNOWN, /* trace was lost inside: there, or in the host */
};

#define NO_NMI UINT64_MAX

enum {
	/* This is what one block can lead to at most. */
	RECORDS_AT_ONCE = 8,
};

/* This is what is known of a moment: it lies within [low, high], in 256ths of a
 * tick.
 */
struct moment {
	uint64_t low;
	uint64_t high;
	uint64_t known_ns; /* 0: it is not known better */
};

/* Collects evidence from the trace since the previous entry into user space or
 * the previous synchronisation point; it places the next entry among the records
 * of switches: see struct process_entry.
 */
struct user_evidence {
	int32_t switches;     /* of tasks; negative: some may be untraced */
	bool is_synced;	      /* a synchronisation point of known time is
			       * right here: all earlier records passed */
	bool is_table_lost;   /* a page table may have been set untraced */
	bool is_table_passed; /* one that is not user_table was set */
	uint64_t user_table;  /* that of the previous entry, without its low
			       * 12 bits; 0: unknown */
};

/* One stream's execution being followed. */
struct execution {
	struct block_graph *graph;
	struct block *blocks; /* the graph's */
	struct code_space *code;
	const struct symbols *symbols;
	const struct time_conversion *conversion;
	struct tick_scale scale; /* of it */
	struct trace_filter filter;
	uint64_t kernel_start;
	uint64_t next_change; /* of the code, in 256ths of a tick: no
				 * branch before needs to look */
	bool may_be_ahead;    /* the code is of another time, perhaps later */
	bool lists_blocks;    /* records are items, not events */

	/* Where execution is: about to run @block, having come from @from. */
	uint32_t block;	    /* BLOCK_NONE: it is not followed */
	uint32_t from;	    /* BLOCK_NONE: from nowhere known */
	uint8_t passage;    /* enum block_passage: what coming from @from
				 * to @block means */
	uint8_t exit;	    /* with PASSAGE_OTHER: enum flow_exit, or a way
				 * of those above */
	uint8_t set;	    /* enum instruction_set of what follows */
	uint8_t next_set;   /* from the next address on */
	bool is_lost;	    /* since a gap: it goes on at any address */
	bool is_off;	    /* the unit was switched off */
	bool outside;	    /* it left for user space */
	bool is_rebased;    /* addresses are partial against a wrong one */
	uint8_t guest;	    /* enum guest_state */
	uint8_t listed_set; /* what was last said of it in a list */
	uint64_t page_table;
	uint64_t guest_page_table;
	uint64_t machine; /* the VMCS of the last TRACE_MACHINE, or 0 */
	struct user_evidence evidence;
	bool counts_switches; /* the kernel has a switch point */
	uint64_t sync_low_ns; /* bounds of the last synchronisation point */
	uint64_t sync_high_ns;
	uint64_t last_ip;	 /* the last instruction that ran, 0 unknown */
	uint64_t return_address; /* of a call or interruption */
	uint64_t nmi_return;	 /* where the NMI that runs will return to */
	uint8_t bits_left;	 /* that walk_bits() did not come to */
	uint32_t targets_ahead;	 /* the next TRACE_TARGETs are done already */
	struct thunk_fold fold;
	struct thunk_fold_stack folds;
	struct return_stack returns;
	uint8_t unseen_calls;	 /* why some may be missing there since the last
			       * synchronisation point: an enum
			       * flow_gap_reason, of code that could not be
			       * followed; 0: none is */
	struct atom_state atoms; /* where each branch has an atom */

	/* When it is. */
	struct moment before; /* the last branch done */
	uint64_t next_high;   /* the next one's bound */
	bool at_branch;	      /* nothing ran since @before */
	bool has_bounds;      /* those of what runs behind it are among the
				 * times: */
	uint32_t bounds;

	struct event_marks marks;
	struct event_times times;
};

/* Marks the record that is made next. */
static inline struct event_mark *execution_mark(struct execution *execution,
						enum event_mark_kind kind)
{
	return event_marks_add(&execution->marks, execution->times.count, kind);
}

/* Control comes from execution->from to execution->block, which means
 * execution->passage.
 */
void execution_arrive(struct execution *execution);

/* Nothing is known of where it is, nor when.  What it follows by stays. */
void execution_reset(struct execution *execution);

/* Borrows @conversion, from the trace's clock. */
void execution_set_conversion(struct execution *execution,
			      const struct time_conversion *conversion);

/* Nobody knows any more where execution came from; the next block is
 * reached by @exit.
 */
void execution_forget_place(struct execution *execution, uint8_t exit);

#endif
