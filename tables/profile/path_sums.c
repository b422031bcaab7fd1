/* SPDX-License-Identifier: MIT */
#include "tables/profile/path_sums.h"

void path_sums_free(struct path_sums *sums)
{
	keyed_array_free(&sums->all);
}

static struct path_sum *sum_of(struct path_sums *sums, int32_t pid,
			       uint32_t path)
{
	return keyed_array_add(&sums->all,
			       &(struct path_sum){ .path = path, .pid = pid });
}

static bool add_work(struct path_sum *sum, const struct path_work *work)
{
	if (!sum)
		return false;
	sum->ns += work->ns;
	for (int how = 0; how < CALL_HOWS; how++)
		sum->entries[how] += work->entries[how];
	return true;
}

bool path_sums_add(struct path_sums *sums, int32_t pid,
		   enum interrupt_certainty certainty,
		   const struct array *works)
{
	const struct path_work *items = works->items;

	for (size_t i = 0; i < works->count; i++) {
		struct path_sum *sum = sum_of(sums, pid, items[i].path);

		if (!add_work(sum, &items[i]))
			return false;
		sum->certain_ns[certainty] += items[i].ns;
	}
	return true;
}

bool path_sums_add_own(struct path_sums *sums, int32_t pid,
		       const struct path_work *work)
{
	return add_work(sum_of(sums, pid, work->path), work);
}

const struct path_sum *path_sums_at(const struct path_sums *sums, size_t index)
{
	return index < sums->all.items.count ?
		       array_at(&sums->all.items, index) :
		       NULL;
}
