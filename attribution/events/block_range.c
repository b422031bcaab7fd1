/* SPDX-License-Identifier: MIT */
#include "attribution/events/block_range.h"

#include "attribution/events/known_events.h"

struct block_range block_range_of(const struct event_record *event)
{
	return (struct block_range){
		.device = (uint64_t)event->values[BLOCK_DEVICE],
		.sector = (uint64_t)event->values[BLOCK_SECTOR],
		.sectors = (uint64_t)event->values[BLOCK_SECTORS],
	};
}

static bool is_of_disk(uint64_t device, uint64_t other)
{
	enum { MINOR_BITS = 20 }; /* include/linux/kdev_t.h */

	return device >> MINOR_BITS == other >> MINOR_BITS;
}

static bool overlaps(const struct block_range *a, const struct block_range *b)
{
	if (!a->sectors || !b->sectors)
		return a->sector == b->sector;
	return a->sector < b->sector + b->sectors &&
	       b->sector < a->sector + a->sectors;
}

bool block_range_is_done(const struct block_range *asked,
			 const struct block_range *done, bool is_exact)
{
	return overlaps(asked, done) &&
	       (is_exact ? asked->device == done->device :
			   is_of_disk(asked->device, done->device));
}
