/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_PARTS_H
#define KT_DECODER_LIBIPT_PARTS_H

#include "decoder/flow/flow_source.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/libipt/libipt_code.h"
#include "decoder/recording/loss_cursor.h"
#include "decoder/recording/stream_bytes.h"

#include <intel-pt.h>
#include <stdbool.h>

struct branch_cursor;
struct flow_batch;
struct intel_tokens;
struct switch_feed;

/* The inside of the libipt source, shared by its files: libipt_source.c drives
 * libipt_segment.c, _code.c, _blocks.c and _events.c (which asks _exit.c),
 * and all of them stand on what is declared here.
 *
 * The stream is decoded segment by segment: a segment ends where bytes are
 * known to be missing.
 */
struct libipt {
	struct flow_source base;
	struct flow_input input;
	struct stream_bytes bytes;
	struct intel_clock_setup clock_setup;
	struct libipt_code code;
	struct flow_batch *batch;
	struct switch_feed *switches;

	size_t next_segment;	   /* where it begins */
	struct loss_cursor losses; /* at the end of the segment */
	size_t segment;		   /* the current one */
	size_t segment_end;
	size_t synced;	     /* last PSB used, in the segment */
	size_t released;     /* bytes given back before this */
	bool is_open;	     /* a segment is */
	bool is_decoded;     /* no bytes are left */
	bool is_off;	     /* the trace unit is, as far as decoded */
	uint64_t end_ns;     /* of the last segment decoded */
	uint64_t end_low_ns; /* likewise: its last branch was no earlier */
	bool at_end;

	struct pt_block_decoder *blocks;
	int status; /* of libipt's last call */
	struct intel_tokens *tokens;
	struct branch_cursor *cursor;
	uint64_t last_ip; /* the last instruction that ran */
	uint8_t mode;	  /* as FLOW_MODE has it */
	uint64_t page_table;
	uint64_t drifts;       /* how often the cursor lost its step */
	uint64_t watched;      /* libipt's place at the last look */
	uint32_t watch_blocks; /* since then */
};

/* Adds an item that begins now. */
void libipt_emit(struct libipt *source, const struct flow_item *item);

/* Brings the cursor back in step with libipt, near enough for bad trace. */
void libipt_find_step(struct libipt *source);

#endif
