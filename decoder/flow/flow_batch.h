/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_BATCH_H
#define KT_DECODER_FLOW_BATCH_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Work that took longer than could be counted. */
#define FLOW_WORK_UNKNOWN UINT32_MAX

/* When an item began: within [low_ns, high_ns], 0 and UINT64_MAX if unbounded.
 * known_ns is a time that a packet tells for just this item, else 0.
 * work is how long it took beside the others, such as cycles; 0: as long as its
 * instructions.  If a part of it was done at known_ns, done is how much.
 */
struct flow_stamp {
	uint64_t low_ns;
	uint64_t high_ns;
	uint64_t known_ns;
	uint32_t work;
	uint32_t done;
};

/* Items on their way out.  They wait until an item of known time comes; those
 * between two such are interpolated by their work, but for time that only a
 * slow item can have taken, or a gap.
 */
struct flow_batch;

/* Returns whether a block may take much longer than its count of instructions
 * says, because it repeats one, or waits; or whether much time may pass
 * between a FLOW_STOP and what follows.
 */
typedef bool flow_slow_fn(void *ctx, const struct flow_item *item);

/* @is_slow is asked only about items between two known times that are too
 * far apart.  Returns NULL when out of memory.
 */
struct flow_batch *flow_batch_new(flow_slow_fn *is_slow, void *ctx);
void flow_batch_free(struct flow_batch *batch);

/* Returns the item to be added next, to be filled in but for its times, and
 * *@stamp, to be filled in: both written in place, as copies of what was just
 * written cost more than all the rest.  Needs room.
 */
struct flow_item *flow_batch_next(struct flow_batch *batch,
				  struct flow_stamp **stamp);

/* Adds the item that flow_batch_next() gave. */
void flow_batch_add(struct flow_batch *batch);

/* The waiting items whose time has no upper bound began no later than
 * @high_ns.
 */
void flow_batch_bound(struct flow_batch *batch, uint64_t high_ns);

/* Returns whether another few items may be added. */
bool flow_batch_has_room(const struct flow_batch *batch);

/* Gives all waiting items their times: the stream ends, or the batch is full
 * without an item of known time.
 */
void flow_batch_flush(struct flow_batch *batch);

/* Adds an item that has its time among the finished ones, in its place; all
 * that were taken must be earlier.  Returns false if there is no room.
 */
bool flow_batch_insert(struct flow_batch *batch, const struct flow_item *item);

/* How many finished items wait to be taken. */
size_t flow_batch_finished(const struct flow_batch *batch);

/* The time of the last finished item, 0 if there was none. */
uint64_t flow_batch_last_ns(const struct flow_batch *batch);

/* Hands out the finished items, valid until the next addition.  Returns how
 * many.
 */
size_t flow_batch_take(struct flow_batch *batch,
		       const struct flow_item **items);

#endif
