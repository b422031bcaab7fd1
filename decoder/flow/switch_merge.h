/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SWITCH_MERGE_H
#define KT_DECODER_SWITCH_MERGE_H

#include <stdbool.h>
#include <stdint.h>

struct flow_batch;
struct switch_feed;

/* Puts the switches of @feed among the finished items of @batch, in their
 * places: those up to the last finished item, or @all that there is room for.
 * Who runs after @end_ns, when the CPU is not traced any more, is no part of the
 * recording: those switches are passed over.
 *
 * Returns 1 if none is left for now, 0 if the batch is full, -ERROR_MEMORY.
 */
int switch_merge(struct switch_feed *feed, struct flow_batch *batch, bool all,
		 uint64_t end_ns);

#endif
