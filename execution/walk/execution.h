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

/* The state of following one stream along the code. All files of walk/, atoms/
 * and follow/ share it.
 *
 *	branches (decoder/flow/trace_branch.h)
 *	   │ follow/ (Intel PT), atoms/ (Arm)
 *	   ▼
 *	walk.c: runs blocks of the graph ──► execution_arrive(), place.c
 *	                                        │ records and marks
 *	                                        ▼
 *	                                     event_times ──► record_feed.h
 *
 * A record is a function event or, if lists_blocks, a flow item.
 *
 * Kernel code changes at the estimated time. With Intel PT, the process whose
 * user code runs is found at each entry into user space, by walk_enter_user(),
 * and at each sync point, by follow_sync_code(): process_view.h has the rules.
 *
 * States, and the functions that enter them:
 *
 * - followed: block is the next block to run. place_go() and place_resume()
 *   enter it with an address from the trace.
 * - stopped: block is BLOCK_NONE and is_lost is not set. Tracing is off until
 *   the next TRACE_START. Set by place_stop(); is_off and outside distinguish
 *   why.
 * - lost: block is BLOCK_NONE and is_lost is set. The next address in the trace
 *   resumes. Set by execution_reset() and place_gap().
 * - in a virtual machine: see follow_guest.h.
 *
 * Invariants:
 *
 * 1. block has not run yet, from has. The events of the edge from one to the
 *    other are emitted by walk_arrive() or, for events, execution_arrive(),
 *    which then set passage to PASSAGE_INSIDE: they are emitted once.
 * 2. blocks is block_graph_blocks(graph). Each function that may add a block
 *    sets it again.
 * 3. Records are in the order of execution. A mark's index is at most the
 *    number of records.
 * 4. One block leads to at most RECORDS_AT_ONCE records.
 * 5. evidence is about the trace since the previous entry into user space or the
 *    last sync point. walk_lose_switches() and walk_lose_page_table() mark it as
 *    incomplete: the former wherever execution is not followed, the latter
 *    wherever packets that set a page table may be missing.
 *
 * An execution belongs to one thread; symbols and the conversion are shared,
 * read-only. Its size is fixed, apart from the graph, which grows with the code
 * that ran. The only error is -ERROR_MEMORY: trace that cannot be followed is a
 * gap.
 */

struct code_space;

/* How a block is reached, in addition to enum flow_exit. */
enum {
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY, /* from user space */
	EXIT_UNSEEN,
	EXIT_GUEST, /* from a virtual machine that the traced code entered */
};

/* Position relative to virtual machines: see follow_guest.h. */
enum guest_state {
	GUEST_NONE,	/* in the host */
	GUEST_ENTERING, /* the next branch enters one */
	GUEST_INSIDE,
	GUEST_LEAVING, /* the next branch leaves it */
	GUEST_HIDDEN,  /* inside one that is not traced */
	GUEST_UNKNOWN, /* inside or in the host: trace was lost inside */
};

#define NO_NMI UINT64_MAX

enum {
	/* Records that one block can lead to, at most. */
	RECORDS_AT_ONCE = 8,
};

/* The time bounds of a branch: within [low, high], in 256ths of a tick. */
struct moment {
	uint64_t low;
	uint64_t high;
	uint64_t known_ns; /* the known time; 0: none */
};

/* The evidence for the next entry into user space (struct process_entry), from
 * the trace since the previous entry or the last sync point: invariant 5.
 */
struct user_evidence {
	/* number of switch points; negative: some may be untraced */
	int32_t switches;
	/* a sync point of known time is right here, so follow_sync_code()
	 * already found the process
	 */
	bool is_synced;
	bool is_table_lost;   /* a page table may have been set untraced */
	bool is_table_passed; /* a page table other than user_table was set */
	/* page table at the previous entry, without its low 12 bits; 0: unknown
	 */
	uint64_t user_table;
};

/* One stream's execution. */
struct execution {
	struct block_graph *graph;
	struct block *blocks; /* the graph's */
	struct code_space *code;
	const struct symbols *symbols;
	const struct time_conversion *conversion;
	struct tick_scale scale; /* of @conversion */
	struct trace_filter filter;
	uint64_t kernel_start;
	/* time of the next code change, in 256ths of a tick; earlier branches
	 * need no check
	 */
	uint64_t next_change;
	bool may_be_ahead; /* the code may be that of a later time */
	/* set with next_change 0 where no error can be returned, so that
	 * follow_update_code() returns it after the branch
	 */
	bool is_out_of_memory;
	bool lists_blocks; /* records are items, not events */

	/* The position: about to run @block, reached from @from. */
	uint32_t block; /* BLOCK_NONE: unknown */
	uint32_t from;	/* BLOCK_NONE: unknown */
	/* enum block_passage: kind of the edge from @from to @block */
	uint8_t passage;
	/* if passage is PASSAGE_OTHER: how control left @from, an enum
	 * flow_exit or an EXIT_ value above
	 */
	uint8_t exit;
	uint8_t set;	  /* enum instruction_set of the code that runs */
	uint8_t next_set; /* of the code from the next address on */
	bool is_lost;	  /* after a gap: any address in the trace resumes */
	bool is_off;	  /* the unit was switched off */
	bool outside;	  /* execution left for user space */
	/* partial IPs are completed with a wrong base: see rebase.h */
	bool is_rebased;
	uint8_t guest;	    /* enum guest_state */
	uint8_t listed_set; /* enum instruction_set last added to a list */
	uint64_t page_table;
	uint64_t guest_page_table;
	uint64_t machine; /* the VMCS of the last TRACE_MACHINE, or 0 */
	struct user_evidence evidence;
	bool counts_switches; /* the kernel is traced and has a switch point */
	uint64_t sync_low_ns; /* time bounds of the last sync point */
	uint64_t sync_high_ns;
	/* address of the last instruction that ran; 0: @from's last */
	uint64_t last_ip;
	/* of the call or interruption that arrives next */
	uint64_t return_address;
	/* return address of the NMI that runs, or NO_NMI */
	uint64_t nmi_return;
	uint8_t bits_left; /* bits that walk_bits() did not consume */
	/* number of following TRACE_TARGETs that are consumed already */
	uint32_t targets_ahead;
	struct thunk_fold fold;
	struct thunk_fold_stack folds;
	struct return_stack returns;
	/* Why calls may be missing from @returns since the last sync point: an
	 * enum flow_gap_reason, of code that could not be followed; 0: none is
	 * missing.
	 */
	uint8_t unseen_calls;
	struct atom_state atoms; /* only used if atoms.is_on */

	/* Time. */
	struct moment before; /* the last branch that ran */
	uint64_t next_high;   /* upper bound of the next branch */
	bool at_branch;	      /* nothing ran since @before */
	/* @bounds is the index of the time bounds of everything that runs after
	 * @before
	 */
	bool has_bounds;
	uint32_t bounds;

	struct event_marks marks;
	struct event_times times;
};

/* Adds a mark before the next record and returns it. */
static inline struct event_mark *execution_mark(struct execution *execution,
						enum event_mark_kind kind)
{
	return event_marks_add(&execution->marks, execution->times.count, kind);
}

/* Emits the events of the edge from execution->from to execution->block, by
 * execution->passage. Not for lists.
 */
void execution_arrive(struct execution *execution);

/* Resets position and time to unknown. Keeps the configuration: graph, symbols,
 * clock, filter.
 */
void execution_reset(struct execution *execution);

/* Sets the conversion from the trace's clock to nanoseconds. Borrows
 * @conversion.
 */
void execution_set_conversion(struct execution *execution,
			      const struct time_conversion *conversion);

/* Sets the source of the next edge to unknown: the next block is reached by
 * @exit.
 */
void execution_forget_place(struct execution *execution, uint8_t exit);

#endif
