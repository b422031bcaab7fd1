/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIMELINE_TIMELINE_TEXT_INTERNAL_H
#define KT_REPORT_TIMELINE_TIMELINE_TEXT_INTERNAL_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

/* Maximum number of call events of other tasks between the entry and the exit
 * of a function that is still recognized as a leaf.
 */
enum { LEAF_QUEUE_STEPS = 64 };

/* Writes an item: a call event or, if @leaf_exit is not NULL, a leaf function,
 * entered by @step and left by @leaf_exit.
 */
typedef void leaf_queue_write(void *ctx, const struct call_step *step,
			      const struct call_step *leaf_exit);

struct waiting_step {
	struct call_step step;
	struct call_step exit;
	bool is_leaf; /* the exit has arrived */
	bool is_open; /* an entry whose task has had no later event */
};

/* Delays entries until the next event of their task shows whether they are
 * leaves; all events keep their order.
 */
struct leaf_queue {
	leaf_queue_write *write;
	void *ctx;
	struct waiting_step steps[LEAF_QUEUE_STEPS];
	uint32_t first; /* serial number; the slot is its remainder */
	uint32_t end;
};

void leaf_queue_consume(struct leaf_queue *queue, const struct call_step *step);

/* Writes all delayed items. */
void leaf_queue_end(struct leaf_queue *queue);

#endif
