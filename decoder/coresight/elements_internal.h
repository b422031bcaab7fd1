/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ELEMENTS_INTERNAL_H
#define KT_DECODER_CORESIGHT_ELEMENTS_INTERNAL_H

#include "decoder/coresight/range_exit_internal.h"
#include "decoder/recording/recording.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdbool.h>
#include <stdint.h>

struct code_space;
struct coresight_feed;
struct coresight_items;
struct coresight_tree;
struct flow_input;
struct task_ids;

/* The code that OpenCSD reads: the current code of the running task. */
struct coresight_code {
	struct code_space *space;
	struct coresight_tree *tree; /* OpenCSD, which reads the code */
	bool is_arm64;
	uint64_t next_change_ns;
};

/* Opens the code of @input for @tree, which is borrowed. Returns 0 or a
 * negative enum error; must be closed either way.
 */
int coresight_code_open(struct coresight_code *code,
			const struct flow_input *input,
			struct coresight_tree *tree);

void coresight_code_close(struct coresight_code *code);

/* Returns whether much time may have passed in @item. A flow_slow_fn; @ctx is a
 * struct coresight_code.
 */
bool coresight_code_is_slow(void *ctx, const struct flow_item *item);

/* The CPU's state according to the trace: its mode and the running task. */
struct coresight_context {
	/* NULL: sideband records report the running task */
	struct task_ids *tasks;
	uint8_t mode;	  /* enum coresight_mode; 0 before the first */
	int64_t task;	  /* last task in the trace, or -1 */
	bool named_tasks; /* the trace contained a task ID other than 0 */
};

/* Makes blocks from the instruction ranges that OpenCSD reports. */
struct coresight_blocks {
	bool must_start;	    /* tracing began: FLOW_START is due */
	uint64_t next_address;	    /* end of the last block */
	struct coresight_path path; /* expected path from there */
};

/* Converts OpenCSD's elements to items. */
struct coresight_elements {
	struct coresight_items *items;
	struct coresight_code *code;
	const struct coresight_feed *feed; /* source of the elements */
	struct coresight_context context;
	/* the last session, from a start of the trace unit to its stop, was
	 * traced up to its end
	 */
	bool is_off;
	bool is_rejected; /* the last element shows damage */
	struct tick_span span;
	struct coresight_blocks blocks;
};

/* Starts a session. */
void coresight_elements_begin(struct coresight_elements *elements);

/* Consumes one element of OpenCSD, whose packet begins at @position. */
void coresight_elements_consume(struct coresight_elements *elements,
				uint64_t position,
				const ocsd_generic_trace_elem *element);

/* Ends the session; @is_lost: the end of its trace was lost. */
void coresight_elements_end(struct coresight_elements *elements, bool is_lost);

#endif
