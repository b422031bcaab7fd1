/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_PARTS_H
#define KT_DECODER_CORESIGHT_PARTS_H

#include "common/array.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/coresight/coresight_path.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>

struct code_space;
struct switch_feed;
struct task_ids;

/* An item that was decoded and is not in the batch yet: the element behind it
 * may still tell more of it.
 */
struct coresight_entry {
	struct flow_item item;
	struct flow_stamp stamp;
};

/* A stretch without known execution, which ends with the next item. */
struct coresight_gap {
	bool is_open;
	uint8_t reason; /* enum flow_gap_reason */
	uint64_t position;
	struct flow_stamp stamp;
};

/* This is what the trace unit counts of cycles.  Its counts are of those since
 * the last count; one that comes with a time stamp does not begin anew.
 */
struct coresight_cycles {
	bool is_known;	  /* since when the next count is */
	uint32_t stamped; /* of the next count: up to a time stamp */
	uint64_t carried; /* before the next block ran */
	uint64_t counted; /* instructions, up to the last count */
	uint64_t total;	  /* where they are the clock: so far, from 1 */
};

/* As FLOW_MODE has it. */
enum coresight_mode {
	CORESIGHT_MODE_32 = 1,
	CORESIGHT_MODE_64 = 2,
};

/* The inside of the CoreSight source, shared by its files.
 *
 * The stream is decoded session by session: what a trace unit wrote from start
 * to stop.  OpenCSD calls back for every element that it finds.
 */
struct coresight {
	struct flow_source base;
	struct flow_input input;
	struct code_space *code;
	struct flow_batch *batch;
	struct switch_feed *switches; /* NULL: the trace tells who runs */
	struct task_ids *tasks;	      /* NULL: it does not */
	enum recording_time time;     /* what stamps count */
	int error;		      /* of a call-back */

	struct coresight_feed feed;
	bool is_waiting;    /* for what a session begins with */
	bool is_rejected;   /* by a call-back: damage */
	uint64_t whole_end; /* ETMv3: of the last whole packet */
	bool is_decoded;    /* no bytes are left */
	bool at_end;

	/* This is what was decoded. */
	struct array entries; /* struct coresight_entry */
	size_t resolved;      /* of them: wait for no cycle count */
	size_t bounded;	      /* of them: have their upper bound */
	struct coresight_gap gap;
	bool is_running;	    /* the next block follows the last */
	bool is_off;		    /* its last session ended well */
	bool must_start;	    /* tracing began: FLOW_START is due */
	uint8_t mode;		    /* enum coresight_mode */
	uint64_t next_address;	    /* behind the last block */
	struct coresight_path path; /* from there on */
	int64_t task;		    /* that the trace named last, or -1 */
	bool named_tasks;	    /* it named one that is not 0 */

	/* When. */
	uint64_t instructions; /* so far, from 1 */
	struct coresight_cycles cycles;
	uint64_t low_ns;	       /* the last time stamp */
	uint64_t known_ns;	       /* of the next item, or 0 */
	struct flow_stamp after_block; /* when what ran last ended */
	uint64_t next_change_ns;       /* of the code */
};

/* Takes one element of OpenCSD, whose packet begins at @position. */
void coresight_take(struct coresight *source, uint64_t position,
		    const ocsd_generic_trace_elem *element);

/* The session ends; @is_lost: more of its trace was lost. */
void coresight_end_session(struct coresight *source, bool is_lost);

/* Takes what the trace says about the CPU's state: mode, task. */
void coresight_take_context(struct coresight *source,
			    const ocsd_pe_context *context);

/* Execution from here on is unknown, up to the next item.  More of the same is
 * one gap.
 */
void coresight_open_gap(struct coresight *source, uint8_t reason,
			uint64_t position);

/* Ends the gap, if there is one, at @position. */
void coresight_close_gap(struct coresight *source, uint64_t position);

/* This is what is known of the time now, at which @item begins. */
struct flow_stamp coresight_stamp_now(struct coresight *source,
				      const struct flow_item *item);

/* This is what is called back for while a source's stream is fed to OpenCSD. */
extern const struct coresight_feed_events coresight_feed_events;

/* This is what is known of the time at which the last block ended. */
struct flow_stamp coresight_stamp_after_block(const struct coresight *source);

/* Adds an item that begins now, or with the time of @stamp. */
void coresight_emit(struct coresight *source, const struct flow_item *item);
void coresight_emit_at(struct coresight *source, const struct flow_item *item,
		       const struct flow_stamp *stamp);

/* The last item if it is a block, which may be changed; else NULL. */
struct flow_item *coresight_last_block(struct coresight *source);

/* Takes a time stamp of the trace unit. */
void coresight_take_time(struct coresight *source, uint64_t ticks);

/* The time is @now: what came before began before, what comes next begins
 * then.
 */
void coresight_set_now(struct coresight *source, uint64_t now);

/* As flow_stamp.work has it. */
uint32_t coresight_work(uint64_t cycles);

/* Returns whether much time may have passed in @item: flow_slow_fn of a
 * source.
 */
bool coresight_is_slow(void *ctx, const struct flow_item *item);

/* Cycles are the clock: it is 1. */
void coresight_start_cycles(struct coresight *source);

/* Takes a count of the cycles since the last one, up to here; 0 if the trace
 * unit does not know.  What ran in them weighs as many.
 */
void coresight_take_cycles(struct coresight *source, uint32_t cycles);

/* Takes the count that comes with a time stamp, or 0 if none does. */
void coresight_take_stamp_cycles(struct coresight *source, uint32_t cycles);

/* Takes a count of cycles in which nothing was traced. */
void coresight_skip_cycles(struct coresight *source, uint32_t cycles);

/* What the next count will be of is not known to be what is traced. */
void coresight_lose_count(struct coresight *source);

/* An entry was added: it may have to wait for a count. */
void coresight_resolve(struct coresight *source);

/* @count instructions ran. */
void coresight_count(struct coresight *source, uint32_t count);

#endif
