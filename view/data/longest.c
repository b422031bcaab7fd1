/* SPDX-License-Identifier: MIT */
#include "view/data/longest.h"

#include "common/bytes.h"

static uint64_t length(const struct view_slice *slice)
{
	return slice->end_ns - slice->begin_ns;
}

void longest_take(struct longest *longest, const struct view_slice *slice)
{
	uint32_t at = longest->kept;

	longest->count++;
	longest->sum_ns += length(slice);
	if (at == LONGEST_KEPT) {
		at--;
		if (length(&longest->slices[at]) >= length(slice))
			return;
	} else {
		longest->kept++;
	}
	for (; at && length(&longest->slices[at - 1]) < length(slice); at--)
		longest->slices[at] = longest->slices[at - 1];
	longest->slices[at] = *slice;
}

static void pack_slice(struct view_slice *slice, struct pack *pack)
{
	pack_u64(pack, &slice->begin_ns);
	pack_u64(pack, &slice->end_ns);
	pack_u64(pack, &slice->busy_ns);
	pack_u32(pack, &slice->lane);
	pack_u32(pack, &slice->depth);
	pack_u32(pack, &slice->name);
	pack_u32(pack, &slice->detail);
	pack_i32(pack, &slice->waker_tid);
	pack_u32(pack, &slice->count);
}

void longest_pack(struct longest *longest, struct pack *pack)
{
	pack_u64(pack, &longest->count);
	pack_u64(pack, &longest->sum_ns);
	pack_u32(pack, &longest->kept);
	pack_check(pack, longest->kept <= LONGEST_KEPT);
	for (uint32_t i = 0; i < longest->kept && !pack->failed; i++)
		pack_slice(&longest->slices[i], pack);
}
