/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_BATCH_H
#define KT_DECODER_FLOW_BATCH_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The work of an item that took longer than the count can hold. */
#define FLOW_WORK_UNKNOWN UINT32_MAX

/* When an item began: within [low_ns, high_ns], 0 and UINT64_MAX if unbounded.
 * known_ns is a time that a packet reports for exactly this item, else 0. work
 * is the item's duration relative to the others, such as cycles; 0 means its
 * instruction count. done is the part of work that was already done at
 * known_ns.
 */
struct flow_stamp {
	uint64_t low_ns;
	uint64_t high_ns;
	uint64_t known_ns;
	uint32_t work;
	uint32_t done;
};

/* The output buffer of items. Items wait until one with a known time arrives;
 * the items between two known times are interpolated by their work, except for
 * time that only a slow item or a gap can have taken.
 */
struct flow_batch;

/* Returns whether a block may take much longer than its instruction count
 * suggests, because it repeats an instruction or waits; or whether much time
 * may pass between a FLOW_STOP and the following item.
 */
typedef bool flow_slow_fn(void *ctx, const struct flow_item *item);

/* @is_slow is called with @ctx for each FLOW_BLOCK and FLOW_STOP that is added,
 * and again if the known times around it are unusually far apart. Returns NULL
 * when out of memory.
 */
struct flow_batch *flow_batch_new(flow_slow_fn *is_slow, void *ctx);
void flow_batch_free(struct flow_batch *batch);

/* Returns the item to be added next, for the caller to fill in, except its
 * times, and sets *@stamp to its stamp, also for the caller to fill in. Both
 * are written in place because copying just-written data cost more than
 * everything else here. Requires flow_batch_has_room().
 */
struct flow_item *flow_batch_next(struct flow_batch *batch,
				  struct flow_stamp **stamp);

/* Adds the item that flow_batch_next() returned. */
void flow_batch_add(struct flow_batch *batch);

/* Sets @high_ns as the upper bound of the start of all waiting items that have
 * no upper bound yet.
 */
void flow_batch_bound(struct flow_batch *batch, uint64_t high_ns);

/* At least this many items may be added while flow_batch_has_room(). */
enum { FLOW_BATCH_SPARE = 1024 };

/* Returns whether FLOW_BATCH_SPARE more items may be added. */
bool flow_batch_has_room(const struct flow_batch *batch);

/* Assigns times to all waiting items: the stream ends, or the batch is full
 * without an item of known time.
 */
void flow_batch_flush(struct flow_batch *batch);

/* Inserts an item that has a time among the finished ones, in order; all items
 * already consumed must be earlier. Returns false if there is no room.
 */
bool flow_batch_insert(struct flow_batch *batch, const struct flow_item *item);

/* Returns the number of finished items that are not consumed yet. */
size_t flow_batch_finished(const struct flow_batch *batch);

/* Returns the time of the last finished item, 0 if there was none. */
uint64_t flow_batch_last_ns(const struct flow_batch *batch);

/* Removes the finished items; they stay valid until the next addition. Returns
 * their number.
 */
size_t flow_batch_consume(struct flow_batch *batch,
			  const struct flow_item **items);

#endif
