/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_BRANCH_SOURCE_H
#define KT_DECODER_FLOW_BRANCH_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct flow_input;
struct point_search;
struct recording;
struct time_conversion;

/* The branches of one stream, whatever hardware wrote the trace: the interface
 * between decoder/, which knows packets, and execution/, which knows code.
 *
 *	struct aux_stream: bytes
 *	   │ intel_pt/intel_source.c, coresight/branch_source.c
 *	   ▼
 *	struct trace_branch_batch ─► execution/follow/record_feed.c
 *
 * A trace unit reports the directions of branches, and events between them.
 * Which instructions ran follows from the code.
 *
 * 1. A branch's bounds are final when it is provided. A branch without a time
 *    of its own is in the same batch as the next one that has a time.
 * 2. A source that starts one sync point early almost always has complete state
 *    at the next (branch_source_fits()).
 * 3. Trace that is missing or invalid is a TRACE_GAP; the only error after
 *    opening is -ERROR_MEMORY.
 *
 * A source belongs to one thread. Sources of one recording share it read-only.
 */

enum trace_branch_kind {
	/* The next @count conditional branches, or returns to their call site:
	 * 1 in @payload is taken; the oldest is the highest of the low @count
	 * bits.
	 */
	TRACE_BITS,
	/* The next indirect branch or far transfer goes to the address. */
	TRACE_TARGET,
	/* Execution reaches the address by direct edges alone; the following
	 * event happens there, before the instruction runs. If is_bound,
	 * execution then continues there; if is_unsure, the preceding branch
	 * may have gone there even if the code does not lead there.
	 */
	TRACE_REACH,
	/* An interrupt or exception, after a TRACE_REACH; its handler starts at
	 * the address.
	 */
	TRACE_INTERRUPT,
	/* Tracing starts at the address. */
	TRACE_START,
	/* Tracing stops when the next indirect branch or far transfer runs,
	 * which goes to the address. If is_unsure, a direct branch may have
	 * left instead.
	 */
	TRACE_STOP,
	/* Like TRACE_STOP, but tracing stops at the position of the preceding
	 * TRACE_REACH. If is_unsure, the instruction there may have run, and
	 * entered a virtual machine.
	 */
	TRACE_STOP_THERE,
	/* The unit lost trace; execution resumes at the address, or untraced if
	 * there is none.
	 */
	TRACE_OVERFLOW,
	/* A sync point: the next instruction to run is at the address; without
	 * one, tracing is off. If is_bound, its time is @low.
	 */
	TRACE_SYNC,
	/* Code of @payload bits (2 = 64, 1 = 32, 0 = 16) starts with the next
	 * address.
	 */
	TRACE_MODE,
	/* The page table root (CR3 on x86) is @payload from here on if
	 * is_bound, else after the next instruction that sets it. It is the
	 * host's, not a virtual machine's. @count is 1 where a sync point
	 * repeats it.
	 */
	TRACE_ADDRESS_SPACE,
	/* A virtual machine runs with the page table root @payload: it is
	 * entered by the next branch, unless it runs already. All addresses and
	 * branches from then on are of its code, up to the branch after the
	 * next TRACE_ADDRESS_SPACE. @count as for TRACE_ADDRESS_SPACE.
	 */
	TRACE_GUEST,
	/* @payload is the VMCS of the virtual machine that is entered next. */
	TRACE_MACHINE,
	/* A transaction: @payload is 1 began, 2 committed, 3 aborted. */
	TRACE_TRANSACTION,
	/* A ptwrite instruction with the operand @payload. */
	TRACE_PTWRITE,
	/* Trace that is missing or unreadable, up to the next TRACE_SYNC:
	 * @count is an enum flow_gap_reason, @payload its bytes, 0 if unknown.
	 */
	TRACE_GAP,
	/* Like TRACE_GAP, but after the last branch with a known time: the
	 * trace that follows has a clock of its own.
	 */
	TRACE_BREAK,
	/* The stream ends; not a gap. */
	TRACE_END,

	/* The kinds below are of trace units that report for each branch
	 * whether it was taken, even for unconditional ones, and then the
	 * target if it does not follow from the code (Arm's ETMv4 and ETE).
	 * None of these has time bounds: times and counts are separate, between
	 * them.
	 */

	/* The next @count branches, in @payload as for TRACE_BITS. Each packet
	 * is one byte; in @low, the bit of each branch that is the first of its
	 * packet is 1.
	 */
	TRACE_ATOMS,
	/* Execution is at the address, before the instruction there runs; the
	 * instruction set is @count (enum trace_set). Execution continues there
	 * in any case; if the code does not lead there, what ran before is
	 * unknown.
	 */
	TRACE_ADDRESS,
	/* Execution continues to the branch at the address, which is taken; the
	 * branches before it were not. @count as for TRACE_ADDRESS.
	 */
	TRACE_SOURCE,
	/* Execution continues up to the address, where an exception occurs,
	 * which returns there. @count as for TRACE_ADDRESS, with
	 * TRACE_EXCEPTION_ bits.
	 */
	TRACE_EXCEPTION,
	/* The preceding branch returned from an exception. */
	TRACE_EXCEPTION_RETURN,
	/* Tracing resumes at the next address; @count is 1 after an overflow of
	 * the unit's own buffer.
	 */
	TRACE_ON,
	/* The unit was switched on, with TRACE_SESSION_ bits in @count. */
	TRACE_SESSION,
	/* The unit was switched off; @count is 1 if the end of its trace is
	 * missing.
	 */
	TRACE_SESSION_END,
	/* The time is @payload ticks of the recording's clock. */
	TRACE_TIME,
	/* @payload cycles passed since the last TRACE_CYCLES; 0: unknown.
	 * @count is 1 for a count that accompanies a TRACE_TIME: the next count
	 * starts where this one did.
	 */
	TRACE_CYCLES,
	/* The unit reports the running task: its ID is @payload. */
	TRACE_TASK,
};

/* Arm's instruction sets. */
enum trace_set { TRACE_A64, TRACE_A32, TRACE_T32, TRACE_SET_MASK };

enum {
	/* An instruction raised the exception. */
	TRACE_EXCEPTION_CALL = 4,
	/* The preceding branch went to the address. */
	TRACE_EXCEPTION_TARGET = 8,
};

enum {
	/* returns whose address follows from the call are left out of the trace
	 */
	TRACE_SESSION_RETURNS = 1,
	TRACE_SESSION_CYCLES = 2, /* cycles are counted */
	TRACE_SESSION_WAITS = 4,  /* wfi and wfe count as branches */
};

/* Time as a trace unit counts it, in 256ths of a tick. */
#define TRACE_TICK_SHIFT 8

/* One reported branch or event. Its time lies within [low, high], in 256ths of
 * a tick of the recording's clock; 0 and UINT64_MAX are not bounds.
 */
struct trace_branch {
	/* an address if has_address; otherwise see its kind */
	uint64_t payload;
	uint64_t low;
	uint64_t high;
	uint64_t estimate; /* best estimate of the time, if has_estimate */
	uint32_t position; /* of its packet, relative to the batch's position */
	uint8_t kind;	   /* enum trace_branch_kind */
	uint8_t count;
	bool has_address : 1;
	bool has_estimate : 1;
	bool is_exact : 1; /* its last branch ran when the packet was written */
	/* its packet has a time of its own, not that of the following one */
	bool is_timed : 1;
	bool is_bound : 1;   /* see enum trace_branch_kind */
	bool is_unsure : 1;  /* by an erratum; see enum trace_branch_kind */
	bool is_partial : 1; /* the address shares bits with the previous one */
};

/* Consecutive branches. */
struct trace_branch_batch {
	const struct trace_branch *branches;
	uint32_t count;
	/* position of the batch's first packet in the stream's bytes */
	uint64_t position;
};

/* Decodes one stream's trace into branches, whatever hardware made it. */
struct branch_source {
	const struct branch_source_ops *ops;
};

/* Returned instead of a position if there is no such sync point. */
#define NO_SYNC UINT64_MAX

/* The functions of one kind of trace hardware. */
struct branch_source_ops {
	const char *name;
	/* Returns 0 and *@source, or a negative enum error. */
	int (*open)(const struct flow_input *input,
		    struct branch_source **source);
	/* As branch_source_next(). */
	int (*next)(struct branch_source *source,
		    struct trace_branch_batch *batch);
	/* As branch_source_seek(). */
	int (*seek)(struct branch_source *source, uint64_t position);
	/* As branch_source_go_on(); NULL: it cannot. */
	bool (*go_on)(struct branch_source *source,
		      const struct flow_input *input, uint64_t position);
	/* As branch_source_pause_at() and branch_source_stop(); both are NULL:
	 * it always reads to the end.
	 */
	void (*pause_at)(struct branch_source *source, uint64_t time);
	bool (*stop)(struct branch_source *source);
	/* As branch_source_next_sync(). */
	uint64_t (*next_sync)(struct branch_source *source, uint64_t from);
	/* As branch_source_sync_before(); NULL: its sync points have no times.
	 */
	uint64_t (*sync_before)(struct branch_source *source, uint64_t time_ns,
				uint64_t distance, uint64_t *at_ns);
	void (*close)(struct branch_source *source);
};

/* Implements branch_source_sync_before() for a source whose timed sync points
 * are @points.
 */
uint64_t sync_position_before(const struct point_search *points,
			      const struct time_conversion *conversion,
			      uint64_t time_ns, uint64_t distance,
			      uint64_t *at_ns);

extern const struct branch_source_ops intel_branch_source;

extern const struct branch_source_ops coresight_branch_source;

/* Returns whether coresight_branch_source.open() supports the stream: ETMv4 and
 * ETE without conditional instructions, loads, stores, data or Q elements.
 */
bool coresight_source_fits(const struct recording *recording,
			   const struct aux_stream *stream);

/* Returns whether there is a source for the stream. A decoder of such a stream
 * that starts one sync point early almost always has complete state at the
 * next.
 */
bool branch_source_fits(const struct recording *recording,
			const struct aux_stream *stream);

/* Opens the source that fits the recording's trace hardware, at the start of
 * the stream. Borrows everything in @input.
 *
 * Returns 0 and *@source, -ERROR_UNSUPPORTED if there is none for the stream,
 * another negative enum error if it cannot be set up.
 */
int branch_source_open(const struct flow_input *input,
		       struct branch_source **source);

/* Closes @source, which may be NULL. */
void branch_source_close(struct branch_source *source);

/* Provides the next branches, one or more, valid until the next call (invariant
 * 1).
 *
 * Returns 1, 0 at the end, or -ERROR_MEMORY.
 */
static inline int branch_source_next(struct branch_source *source,
				     struct trace_branch_batch *batch)
{
	return source->ops->next(source, batch);
}

/* Seeks to the sync point at @position, a result of branch_source_next_sync(),
 * or to an earlier one if the time would not be known there otherwise. Seeks
 * forwards and backwards, even from the end. Returns 0 or -ERROR_MEMORY.
 */
static inline int branch_source_seek(struct branch_source *source,
				     uint64_t position)
{
	return source->ops->seek(source, position);
}

/* Makes @source end a batch at the first TRACE_START that is probably later
 * than @time (256ths of a tick), instead of reading ahead, so that the caller
 * can stop there. Holds until branch_source_go_on() or a loss.
 */
static inline void branch_source_pause_at(struct branch_source *source,
					  uint64_t time)
{
	if (source->ops->pause_at)
		source->ops->pause_at(source, time);
}

/* Leaves the bytes that @source has not read yet unread, as if the stream ended
 * there. Returns false, and changes nothing, if the stream has losses or if
 * later packets may depend on the unread ones.
 */
static inline bool branch_source_stop(struct branch_source *source)
{
	return source->ops->stop && source->ops->stop(source);
}

/* Continues at @position of the stream of @input. The bytes before it must be
 * the last ones of the stream that @source has read to its end, or stopped in,
 * so that the clock and the last address are known. Bytes that were left unread
 * are read now, before those at @position, unless nothing depends on them.
 * Borrows like branch_source_open().
 *
 * Returns whether it continues; if not, @source can only be closed.
 */
static inline bool branch_source_go_on(struct branch_source *source,
				       const struct flow_input *input,
				       uint64_t position)
{
	return source->ops->go_on &&
	       source->ops->go_on(source, input, position);
}

/* Returns the first position from @from on, in the stream's bytes, where
 * decoding can start without any earlier state (a TRACE_SYNC of that position);
 * NO_SYNC if there is none. Only for a source from which branches are not read.
 */
static inline uint64_t branch_source_next_sync(struct branch_source *source,
					       uint64_t from)
{
	return source->ops->next_sync(source, from);
}

/* Finds the last timed sync point that is not later than @time_ns, and goes
 * back @distance bytes from it. Returns the position of the first timed sync
 * point from there on, and sets *@at_ns to its time. Returns NO_SYNC if there
 * is none, or if the sync point found first is less than @distance bytes after
 * the stream's start. The trace between sync points is not read. Only for a
 * source from which branches are not read.
 */
static inline uint64_t branch_source_sync_before(struct branch_source *source,
						 uint64_t time_ns,
						 uint64_t distance,
						 uint64_t *at_ns)
{
	if (!source->ops->sync_before)
		return NO_SYNC;
	return source->ops->sync_before(source, time_ns, distance, at_ns);
}

#endif
