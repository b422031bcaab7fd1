/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/path_sums.h"

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

bool path_sums_add(struct path_sums *sums, int32_t pid,
		   const struct interrupt_charge *charge)
{
	struct path_sum *sum = sum_of(sums, pid, charge->work);

	if (!sum)
		return false;
	sum->ns += charge->ns;
	sum->certain_ns[charge->certainty] += charge->ns;
	sum->entries[charge->how] += charge->count;
	return true;
}

bool path_sums_add_own(struct path_sums *sums, int32_t pid,
		       const struct path_work *work)
{
	struct path_sum *sum = sum_of(sums, pid, work->path);

	if (!sum)
		return false;
	sum->ns += work->ns;
	for (int how = 0; how < CALL_HOWS; how++)
		sum->entries[how] += work->entries[how];
	return true;
}

const struct path_sum *path_sums_at(const struct path_sums *sums, size_t index)
{
	return index < sums->all.items.count ?
		       array_at(&sums->all.items, index) :
		       NULL;
}
