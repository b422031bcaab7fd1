/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_QUEUE_H
#define KT_DECODER_CORESIGHT_QUEUE_H

#include "common/array.h"
#include "decoder/flow/flow_batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items that were decoded and are not in the batch yet: the element behind one
 * may tell more of it, and a later cycle count how long it took.
 */
struct coresight_queue {
	struct array entries; /* struct coresight_entry */
	size_t resolved;      /* of them: wait for no cycle count */
	size_t bounded;	      /* of them: have their upper bound */
};

struct coresight_queue coresight_queue_new(void);
void coresight_queue_free(struct coresight_queue *queue);

/* Adds @item, which waits for a count.  Returns 0 or -ERROR_MEMORY. */
int coresight_queue_add(struct coresight_queue *queue,
			const struct flow_item *item,
			const struct flow_stamp *stamp);

/* Returns the last item, which may be changed; NULL if all are in the batch. */
struct flow_item *coresight_queue_last(const struct coresight_queue *queue);

/* How many wait for a count; they wait no more; or it is known that they waited
 * for longer than could be counted.
 */
size_t coresight_queue_unresolved(const struct coresight_queue *queue);
void coresight_queue_resolve(struct coresight_queue *queue);
void coresight_queue_overrun(const struct coresight_queue *queue);

/* @cycles went by while the waiting items ran, @instructions in all: evenly by
 * instructions, as far as anybody can tell.
 */
void coresight_queue_share(struct coresight_queue *queue, uint64_t cycles,
			   uint64_t instructions);

/* All items began no later than @high_ns. */
void coresight_queue_bound(struct coresight_queue *queue, uint64_t high_ns);

/* Returns whether nothing is left, or an item can go to the batch; @is_whole:
 * none comes any more.
 */
bool coresight_queue_is_empty(const struct coresight_queue *queue);
bool coresight_queue_is_ready(const struct coresight_queue *queue,
			      bool is_whole);

/* Moves such items to @batch, as long as it has room. */
void coresight_queue_drain(struct coresight_queue *queue,
			   struct flow_batch *batch, bool is_whole);

/* Returns a number of cycles as flow_stamp.work has it. */
uint32_t coresight_work(uint64_t cycles);

#endif
