/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_BLOCK_RANGE_H
#define KT_ATTRIBUTION_BLOCK_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct event_record;

/* Sectors of a block device, which it is asked for or is done with. */
struct block_range {
	uint64_t device;
	uint64_t sector;
	uint64_t sectors; /* a flush has none */
};

/* Returns that of a block device's @event. */
struct block_range block_range_of(const struct event_record *event);

/* Returns whether what was asked of is among what is @done.  @is_exact: of the same
 * device; else of any of the same disk: what is done bears the disk's number, what
 * is asked for that of its partition.
 */
bool block_range_is_done(const struct block_range *asked,
			 const struct block_range *done, bool is_exact);

#endif
