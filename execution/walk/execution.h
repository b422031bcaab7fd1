/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_WALK_EXECUTION_H
#define KT_EXECUTION_WALK_EXECUTION_H

#include "decoder/flow/branch_source.h"
#include "decoder/recording/recording.h"
#include "execution/graph/block_graph.h"
#include "execution/graph/return_stack.h"
#include "execution/walk/event_times_internal.h"
#include "symbolize/events/function_event.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of following one stream along the code. All files of walk/, atoms/
 * and follow/ share it.
 *
 *	branches (decoder/flow/branch_source.h)
 *	   │ follow/ (Intel PT), atoms/ (Arm)
 *	   ▼
 *	walk.c: runs blocks of the graph ──► execution_arrive(), position.c
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
 * States of the position, and what leads from one to the other:
 *
 *	followed ── position_stop() ──────────► stopped
 *	followed ── position_gap() ───────────► lost
 *	stopped ─── TRACE_START ──────────────► followed: position_go()
 *	stopped ─── branch, no TRACE_START ───► lost: position_fail()
 *	lost ────── address in the trace ─────► followed: position_resume()
 *	lost ────── TRACE_STOP ───────────────► stopped
 *	any ─────── execution_reset() ────────► lost
 *
 * - followed: block is the next block to run.
 * - stopped: block is BLOCK_NONE, is_lost is not set. Tracing is off until the
 *   next TRACE_START; is_off and outside distinguish why.
 * - lost: block is BLOCK_NONE, is_lost is set. After an overflow in untraced
 *   user space, outside may be set, too.
 * - in a virtual machine: see follow_guest() in follow.c.
 *
 * Invariants:
 *
 * 1. block has not run yet; from has run. walk_arrive() or (not for lists)
 *    execution_arrive() emits the events of the edge between them, and then
 *    sets edge_kind to EDGE_KIND_INSIDE, so that they are emitted once.
 * 2. blocks is block_graph_blocks(graph). Each function that may add a block
 *    sets it again.
 * 3. Records are in the order of execution. A mark's index is at most the
 *    number of records.
 * 4. One block leads to at most RECORDS_AT_ONCE records.
 * 5. evidence is about the trace since the previous entry into user space or
 *    the last sync point. walk_lose_switches() and walk_lose_page_table() mark
 *    it as incomplete: the former wherever execution is not followed, the
 *    latter wherever packets that set a page table may be missing.
 *
 * An execution belongs to one thread; symbols and the conversion are shared,
 * read-only. Its size is fixed, apart from the graph, which grows with the code
 * that ran. The only error is -ERROR_MEMORY: trace that cannot be followed is a
 * gap.
 */

struct code_space;
struct task_ids;

/* An interval without known execution. It ends where execution is known again.
 */
struct atom_gap {
	bool is_open;
	uint8_t reason;	   /* enum flow_gap_reason */
	uint64_t position; /* in the stream's bytes */
	uint64_t low_ns;
	uint64_t high_ns;
};

/* Cycle counts of the trace unit. Each count covers the cycles since the
 * previous one. A count that accompanies a time stamp does not restart the
 * counter: the next count includes it.
 */
struct atom_cycles {
	bool is_known; /* the start of the next count is known */
	/* cycles of the next count that were consumed with a time stamp */
	uint64_t stamped;
	uint64_t carried; /* cycles consumed for which nothing has run yet */
	uint64_t counted; /* atom_state.instructions at the last count */
	uint64_t work;	  /* event_times.work at the last count */
	/* how many instructions of the work since the last known time stand for
	 * cycles
	 */
	uint64_t weighed;
	uint64_t total; /* if cycles are the clock: the time, starting at 1 */
};

/* The additional state of an execution that follows atoms. Its position is in
 * struct execution: from and block.
 */
struct atom_state {
	/* Settings of the trace unit. */
	bool is_on; /* the unit emits an atom for each branch */
	/* the unit omits the address of a return to its call site */
	bool has_returns;
	bool counts_cycles;

	/* Position. */
	bool is_running; /* the next block follows the last */
	/* tracing started; the next block emits the start */
	bool must_start;
	/* the last block (from) ended in an indirect branch; block is unknown
	 */
	bool awaits_target;
	/* if no address follows, the target is the return address of the
	 * innermost call
	 */
	bool pops_target;
	/* block follows from the code; it is compared with reported when it
	 * runs
	 */
	bool is_expected;
	/* if is_expected: the block at the address that the trace reported, or
	 * BLOCK_NONE
	 */
	uint32_t reported;
	uint8_t set;	      /* enum instruction_set of the last address */
	uint64_t listed_mode; /* the last mode added to a list */
	struct atom_gap gap;

	/* Time. */
	enum recording_time clock;
	uint64_t low_ns;       /* the last known time */
	uint64_t known_ns;     /* low_ns if nothing ran since, else 0 */
	uint64_t bound_low_ns; /* time bounds of records added next */
	uint64_t bound_high_ns;
	uint64_t after_low_ns; /* time bounds of the end of the last block */
	uint64_t after_high_ns;
	/* instructions executed so far, starting at 1 */
	uint64_t instructions;
	/* instructions of event_times.work that are counted in instructions */
	uint64_t work_seen;
	uint64_t next_change_ns; /* when the code changes next */
	struct atom_cycles cycles;

	/* The running task, if only the trace reports it. */
	struct task_ids *tasks; /* NULL: the kernel's records report it */
	int64_t task;		/* the ID that the trace reported last, or -1 */
	bool named_tasks;	/* the trace reported an ID other than 0 */
};

/* Facts that the stream of events needs at a record, in addition to the record
 * itself.
 */
enum event_mark_kind {
	MARK_RUNS,	   /* tracing resumes */
	MARK_SWITCH_POINT, /* the kernel changes stacks here */
	MARK_PAUSE,	   /* tracing paused just before */
	MARK_SYNC,	   /* a watched sync point: see record_feed_watch() */
	/* the record is a task switch reported by the trace itself: a flow item
	 */
	MARK_TASK,
	/* the record enters user space, of the mark's task, in a trace without
	 * the kernel
	 */
	MARK_USER_TASK,
};

struct event_mark {
	uint32_t index; /* of the record after the mark */
	uint8_t kind;
	/* Time bounds of a switch point. high_ns 0: they are unknown, and the
	 * record's estimated time is used.
	 */
	uint64_t low_ns;
	uint64_t high_ns;
	/* The only task that is possible at a MARK_USER_TASK, -1: several are.
	 */
	int32_t pid;
	int32_t tid;
};

enum { MARKS_ROOM = 2 * EVENT_TIMES_ROOM };

/* The marks of the records not consumed yet, in order. */
struct event_marks {
	size_t count;
	struct event_mark marks[MARKS_ROOM];
};

/* Adds a mark before record @index and returns it. Requires room. */
static inline struct event_mark *event_marks_add(struct event_marks *marks,
						 size_t index,
						 enum event_mark_kind kind)
{
	struct event_mark *mark = &marks->marks[marks->count];

	assert(marks->count < MARKS_ROOM);
	assert(!marks->count || mark[-1].index <= index);
	marks->count++;
	*mark = (struct event_mark){
		.index = (uint32_t)index,
		.kind = (uint8_t)kind,
	};
	return mark;
}

/* Returns how many marks can be consumed together with the first @records. A
 * mark is consumed with the record after it; if the records are @all, no record
 * follows and all marks are consumed.
 */
size_t event_marks_ready(const struct event_marks *marks, size_t records,
			 bool all);

/* Removes the first @count marks, which were consumed with the first @records.
 */
void event_marks_drop(struct event_marks *marks, size_t count, size_t records);

/* How a block is reached, in addition to enum flow_exit. */
enum {
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY, /* from user space */
	EXIT_UNTRACED,
	EXIT_GUEST, /* from a virtual machine that the traced code entered */
};

/* Position relative to virtual machines: see follow.c. */
enum guest_state {
	GUEST_NONE,	/* in the host */
	GUEST_ENTERING, /* the next branch enters a virtual machine */
	GUEST_INSIDE,
	GUEST_LEAVING, /* the next branch leaves it */
	GUEST_HIDDEN,  /* inside a virtual machine that is not traced */
	GUEST_UNKNOWN, /* inside or in the host: trace was lost while inside */
};

#define NO_NMI UINT64_MAX

enum {
	/* Records that one block can lead to, at most. */
	RECORDS_AT_ONCE = 8,
};

/* The time bounds of a branch: within [low, high], in 256ths of a tick. */
struct time_bounds {
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

/* Changes of the code over time. */
struct code_changes {
	/* time of the next change, in 256ths of a tick; branches before it need
	 * no check
	 */
	uint64_t next;
	bool may_be_ahead; /* the code may be that of a later time */
	/* set with next 0 where no error can be returned, so that
	 * follow_update_code() returns it after the branch
	 */
	bool is_out_of_memory;
};

/* Instruction sets: enum instruction_set. */
struct instruction_sets {
	uint8_t current; /* of the code that runs */
	uint8_t next;	 /* of the code from the next address on */
	uint8_t listed;	 /* last added to a list */
};

struct guest_position {
	uint8_t state; /* enum guest_state */
	uint64_t page_table;
	uint64_t machine; /* the VMCS of the last TRACE_MACHINE, or 0 */
};

/* Time bounds of the last sync point. */
struct sync_bounds {
	uint64_t low_ns;
	uint64_t high_ns;
};

/* The open calls. */
struct open_calls {
	/* of the call or interruption that arrives next */
	uint64_t return_address;
	/* return address of the NMI that runs, or NO_NMI */
	uint64_t nmi_return;
	struct thunk_fold fold;
	struct thunk_fold_stack folds;
	struct return_stack returns;
	/* Why calls may be missing from returns since the last sync point: an
	 * enum flow_gap_reason, of code that could not be followed; 0: none is
	 * missing.
	 */
	uint8_t untraced;
};

/* Time bounds of what runs between the last branch and the next. */
struct run_bounds {
	struct time_bounds before; /* the last branch that ran */
	uint64_t next_high;	   /* upper bound of the next branch */
	bool at_branch;		   /* nothing ran since the last branch */
	/* index is valid: event_times.bounds[index] applies to everything that
	 * runs between the last branch and the next one
	 */
	bool has_index;
	uint32_t index;
};

/* One stream's execution. */
struct execution {
	/* The configuration, which execution_reset() keeps. */
	struct block_graph *graph;
	struct block *blocks; /* the graph's */
	struct code_space *code;
	const struct symbols *symbols;
	const struct time_conversion *conversion;
	struct tick_scale scale; /* of conversion */
	struct trace_filter filter;
	uint64_t kernel_start;
	bool lists_blocks; /* records are items, not events */
	bool traces_kernel;
	bool counts_switches; /* the kernel is traced and has a switch point */

	/* The position: block runs next; from ran last and led to it. */
	uint32_t block; /* BLOCK_NONE: unknown */
	uint32_t from;	/* BLOCK_NONE: unknown */
	/* enum edge_kind: kind of the edge that led to block */
	uint8_t edge_kind;
	/* if edge_kind is EDGE_KIND_OTHER: how control left block from, an enum
	 * flow_exit or an EXIT_ value above
	 */
	uint8_t exit;
	bool is_lost; /* after a gap: any address in the trace resumes */
	bool is_off;  /* the unit was switched off */
	bool outside; /* execution left for user space */
	struct instruction_sets sets;
	struct guest_position guest;
	struct open_calls calls;
	/* address of the last instruction that ran; 0: the last one of block
	 * from
	 */
	uint64_t last_ip;

	/* The code at the position. */
	struct code_changes changes;
	uint64_t page_table;
	struct user_evidence evidence;

	/* The trace at the position. */
	struct sync_bounds sync;
	/* partial IPs are completed with a wrong base: see complete_ip() */
	bool has_wrong_ip_base;
	uint8_t bits_left; /* bits that walk_bits() did not consume */
	/* number of following TRACE_TARGETs that are consumed already */
	uint32_t targets_ahead;
	struct atom_state atoms; /* only used if atoms.is_on */

	/* Times and records. */
	struct run_bounds bounds;
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
 * execution->edge_kind. Not for lists.
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
void execution_forget_source(struct execution *execution, uint8_t exit);

/* Time bounds of the position, from the branches around it: a block that runs
 * after a branch started no earlier than that branch and no later than the next
 * one. Times here are in 256ths of a tick of the trace's clock, unless their
 * name ends in _ns. 0 and UINT64_MAX are not bounds.
 */

static inline uint64_t execution_low_ns(const struct execution *execution,
					uint64_t time)
{
	if (!time)
		return 0;
	return tick_scale_ns(&execution->scale, time >> TRACE_TICK_SHIFT);
}

static inline uint64_t execution_high_ns(const struct execution *execution,
					 uint64_t time)
{
	if (time == UINT64_MAX)
		return UINT64_MAX;
	return tick_scale_ns(&execution->scale,
			     (time >> TRACE_TICK_SHIFT) + 1) +
	       1;
}

/* Returns the index of the time bounds of everything that runs after the last
 * branch.
 */
static inline uint32_t execution_time_bounds(struct execution *execution)
{
	if (!execution->bounds.has_index && execution->atoms.is_on) {
		execution->bounds.index = event_times_bound(
			&execution->times, execution->atoms.bound_low_ns,
			execution->atoms.bound_high_ns);
		execution->bounds.has_index = true;
	} else if (!execution->bounds.has_index) {
		execution->bounds.index = event_times_bound(
			&execution->times,
			execution_low_ns(execution,
					 execution->bounds.before.low),
			execution_high_ns(execution,
					  execution->bounds.next_high));
		execution->bounds.has_index = true;
	}
	return execution->bounds.index;
}

/* Adds a record that starts now. The caller fills in all fields after its
 * times. Requires room.
 */
static inline union timed_record *execution_add(struct execution *execution)
{
	struct event_times *times = &execution->times;

	if (!execution->bounds.at_branch)
		return event_times_add(times, execution_time_bounds(execution));
	return event_times_add(
		times,
		event_times_bound(
			times,
			execution_low_ns(execution,
					 execution->bounds.before.low),
			execution_high_ns(execution,
					  execution->bounds.before.high)));
}

/* Finishes all earlier records if the time of the last branch is known and
 * nothing ran since. Must be called before a record that starts now.
 */
static inline void execution_begin_record(struct execution *execution)
{
	if (execution->bounds.at_branch && execution->bounds.before.known_ns)
		event_times_set_known(&execution->times,
				      execution->bounds.before.known_ns);
}

/* Sets the upper bound for everything that runs before @branch, the next one.
 */
static inline void execution_expect_branch(struct execution *execution,
					   const struct trace_branch *branch)
{
	execution->bounds.next_high = branch->high;
	execution->bounds.has_index = false;
}

/* Stores the estimated time of @branch, if it has one, as the known time. */
static inline void execution_set_known_time(struct execution *execution,
					    const struct trace_branch *branch)
{
	execution->bounds.before.known_ns =
		branch->has_estimate ?
			execution_low_ns(execution, branch->estimate) :
			0;
}

/* Makes @branch, which has run, the last branch. If is_exact is not set, the
 * previous lower bound stays valid: a TNT packet may be written long after its
 * branches ran.
 */
static inline void execution_set_last_branch(struct execution *execution,
					     const struct trace_branch *branch)
{
	if (branch->is_exact)
		execution->bounds.before.low = branch->low;
	execution->bounds.before.high = branch->high;
	execution_set_known_time(execution, branch);
	execution->bounds.at_branch = true;
	execution->bounds.has_index = false;
}

/* Resets the time of the last branch to unknown, except that it ran at @high or
 * earlier.
 */
static inline void execution_forget_time(struct execution *execution,
					 uint64_t high)
{
	execution->bounds.before = (struct time_bounds){ .high = high };
	execution->bounds.at_branch = false;
	execution->bounds.has_index = false;
}

/* Resumes at @branch, which becomes the last branch. The time of the arrival
 * there is unknown, so the time of @branch does not count as known.
 */
static inline void execution_resume_time(struct execution *execution,
					 const struct trace_branch *branch)
{
	execution->bounds.before.low = branch->low;
	execution->bounds.before.high = branch->high;
	execution->bounds.before.known_ns = 0;
	execution->bounds.at_branch = false;
	execution->bounds.has_index = false;
}

/* Returns a time in 256ths of a tick that is certainly not later than @time_ns.
 * The margin of 4 ticks covers rounding in both directions of the conversion.
 */
static inline uint64_t execution_ticks(const struct execution *execution,
				       uint64_t time_ns)
{
	uint64_t ticks;

	if (time_ns == UINT64_MAX)
		return UINT64_MAX;
	ticks = time_conversion_ticks(execution->conversion, time_ns);
	return ticks < 4 ? 0 : (ticks - 4) << TRACE_TICK_SHIFT;
}

/* Like execution_ticks(), but returns a time that is certainly not before
 * @time_ns.
 */
static inline uint64_t execution_ticks_after(const struct execution *execution,
					     uint64_t time_ns)
{
	uint64_t ticks = execution_ticks(execution, time_ns);

	return ticks == UINT64_MAX ? ticks : ticks + (8 << TRACE_TICK_SHIFT);
}

/* Returns the best estimate of when the last branch ran. */
static inline uint64_t execution_guess_ns(const struct execution *execution)
{
	const struct time_bounds *before = &execution->bounds.before;
	uint64_t low_ns = execution_low_ns(execution, before->low);
	uint64_t high_ns = execution_high_ns(execution, before->high);

	if (before->known_ns)
		return before->known_ns;
	if (high_ns == UINT64_MAX || high_ns < low_ns)
		return low_ns;
	return low_ns + (high_ns - low_ns) / 2;
}

#endif
