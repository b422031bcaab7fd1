/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_BLOCK_RANGE_H
#define KT_ATTRIBUTION_BLOCK_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct event_record;

/* Sectors of a block device that were requested or completed. */
struct block_range {
	uint64_t device;
	uint64_t sector;
	uint64_t sectors; /* 0: a flush */
};

/* Returns the sectors that a block device's @event contains. */
struct block_range block_range_of(const struct event_record *event);

/* Returns whether the request @asked is part of the completion @done. If
 * @is_exact, the devices must be equal. Otherwise they must belong to the same
 * disk: a completion has the number of the disk, a request that of its
 * partition.
 */
bool block_range_is_done(const struct block_range *asked,
			 const struct block_range *done, bool is_exact);

#endif
