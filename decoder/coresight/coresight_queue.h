/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_QUEUE_H
#define KT_DECODER_CORESIGHT_QUEUE_H

#include "common/array.h"
#include "decoder/flow/flow_batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items that were decoded but are not in the batch yet: the next element may
 * add to them, and a later cycle count may cover them.
 */
struct coresight_queue {
	struct array entries; /* struct coresight_entry */
	size_t resolved;      /* number of items that wait for no cycle count */
	size_t bounded;	      /* number of items that have their upper bound */
};

struct coresight_queue coresight_queue_new(void);
void coresight_queue_free(struct coresight_queue *queue);

/* Adds @item, which waits for a count. Returns 0 or -ERROR_MEMORY. */
int coresight_queue_add(struct coresight_queue *queue,
			const struct flow_item *item,
			const struct flow_stamp *stamp);

/* Returns the last item, which may be changed; NULL if all were moved to the
 * batch.
 */
struct flow_item *coresight_queue_last(const struct coresight_queue *queue);

/* Return the number of items that wait for a count; stop their waiting; or mark
 * that they took longer than can be counted.
 */
size_t coresight_queue_unresolved(const struct coresight_queue *queue);
void coresight_queue_resolve(struct coresight_queue *queue);
void coresight_queue_overrun(const struct coresight_queue *queue);

/* Distributes @cycles over the waiting items, which ran @instructions in all,
 * in proportion to their instructions.
 */
void coresight_queue_share(struct coresight_queue *queue, uint64_t cycles,
			   uint64_t instructions);

/* Sets @high_ns as the upper bound of the start of all items. */
void coresight_queue_bound(struct coresight_queue *queue, uint64_t high_ns);

/* Return whether the queue is empty; or whether an item can move to the batch.
 * @is_whole: no more items will follow.
 */
bool coresight_queue_is_empty(const struct coresight_queue *queue);
bool coresight_queue_is_ready(const struct coresight_queue *queue,
			      bool is_whole);

/* Moves items that are ready to @batch, as long as it has room. */
void coresight_queue_drain(struct coresight_queue *queue,
			   struct flow_batch *batch, bool is_whole);

/* Converts a number of cycles to flow_stamp.work. */
uint32_t coresight_work(uint64_t cycles);

#endif
