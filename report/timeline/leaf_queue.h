/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_LEAF_QUEUE_H
#define KT_REPORT_LEAF_QUEUE_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

/* How many steps of other tasks may come between the entry and the exit of a
 * function that is still seen to call nothing.
 */
enum { LEAF_QUEUE_STEPS = 64 };

/* Takes an item that is to be written: a step, or with @leaf_exit not NULL a
 * function that calls nothing, entered by @step and left by @leaf_exit.
 */
typedef void leaf_queue_write(void *ctx, const struct call_step *step,
			      const struct call_step *leaf_exit);

struct waiting_step {
	struct call_step step;
	struct call_step exit;
	bool is_leaf; /* exit has come */
	bool is_open; /* an entry behind which nothing came yet */
};

/* Holds entries back until the next step of their task tells whether they are
 * leaves; all steps keep their order.
 */
struct leaf_queue {
	leaf_queue_write *write;
	void *ctx;
	struct waiting_step steps[LEAF_QUEUE_STEPS];
	uint32_t first; /* counted on and on: their place is the rest */
	uint32_t end;
};

void leaf_queue_take(struct leaf_queue *queue, const struct call_step *step);

/* Writes all that waits. */
void leaf_queue_end(struct leaf_queue *queue);

#endif
