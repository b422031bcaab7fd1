/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_PARTS_H
#define KT_DECODER_CORESIGHT_PARTS_H

#include "common/array.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/flow/flow_source.h"

#include <stdbool.h>

struct coresight_code;
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
	uint8_t reason;		/* enum flow_gap_reason */
	uint64_t position;
	struct flow_stamp stamp;
};

/* The inside of the CoreSight source, shared by its files.
 *
 * The stream is decoded session by session: what a trace unit wrote from start
 * to stop.  OpenCSD calls back for every element that it finds.
 */
struct coresight {
	struct flow_source base;
	struct flow_input input;
	struct coresight_code *code;
	struct flow_batch *batch;
	struct switch_feed *switches;	/* NULL: the trace tells who runs */
	struct task_ids *tasks;		/* NULL: it does not */
	bool has_time;			/* nanoseconds, not instructions */
	int error;			/* of a call-back */

	struct coresight_feed feed;
	bool is_waiting;		/* for what a session begins with */
	bool is_rejected;		/* by a call-back: damage */
	uint64_t whole_end;		/* ETMv3: of the last whole packet */
	bool is_decoded;		/* no bytes are left */
	bool at_end;

	/* What was decoded. */
	struct array entries;		/* struct coresight_entry */
	struct coresight_gap gap;
	bool is_running;		/* the next block follows the last */
	bool is_off;			/* its last session ended well */
	bool must_start;		/* tracing began: FLOW_START is due */
	uint8_t mode;			/* as FLOW_MODE has it */
	uint64_t next_address;		/* behind the last block */
	bool next_is_known;		/* the next one begins at: */
	uint64_t expected;
	int64_t task;			/* that the trace named last, or -1 */
	bool named_tasks;		/* it named one that is not 0 */

	/* When. */
	uint64_t instructions;		/* so far, from 1 */
	uint64_t low_ns;		/* the last time stamp */
	uint64_t known_ns;		/* of the next item, or 0 */
	struct flow_stamp after_block;	/* when what ran last ended */
	uint64_t next_change_ns;	/* of the code */
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

/* What is known of the time at which the last block ended. */
struct flow_stamp coresight_stamp_after_block(const struct coresight *source);

/* Adds an item that begins now, or with the time of @stamp. */
void coresight_emit(struct coresight *source, const struct flow_item *item);
void coresight_emit_at(struct coresight *source, const struct flow_item *item,
		       const struct flow_stamp *stamp);

/* The last item if it is a block, which may be changed; else NULL. */
struct flow_item *coresight_last_block(struct coresight *source);

/* Takes a time stamp of the trace unit. */
void coresight_take_time(struct coresight *source, uint64_t ticks);

/* @count instructions ran. */
void coresight_count(struct coresight *source, uint32_t count);

/* Makes OpenCSD ask for the code again: it keeps what it was told. */
int coresight_attach_code(struct coresight *source);
void coresight_refresh_code(struct coresight *source);

#endif
