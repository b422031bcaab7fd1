/* SPDX-License-Identifier: MIT */
#include "tables/profile/path_sums.h"

#include "common/error.h"

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
	path_entries_add(sum->entries, work->entries);
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

uint64_t path_works_ns(const struct array *works)
{
	const struct path_work *items = works->items;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < works->count; i++)
		sum_ns += items[i].ns;
	return sum_ns;
}

static struct path_work take(struct path_work *work, uint64_t ns, double part)
{
	struct path_work taken = { .path = work->path, .ns = ns };

	work->ns -= ns;
	for (int how = 0; how < CALL_HOWS; how++) {
		taken.entries[how] =
			(uint64_t)((double)work->entries[how] * part);
		work->entries[how] -= taken.entries[how];
	}
	return taken;
}

/* Each path gives the difference of two rounded running sums: the total is
 * exactly @ns, and no path gives more than it has.
 */
int path_works_take(struct array *works, uint64_t ns, double part,
		    struct array *taken)
{
	uint64_t whole_ns = path_works_ns(works);
	struct path_work *items = works->items;
	uint64_t sum_ns = 0;
	uint64_t given_ns = 0;

	if (array_reserve(taken, works->count) < 0)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < works->count; i++) {
		struct path_work *slot = array_add(taken);
		uint64_t until_ns = 0;

		sum_ns += items[i].ns;
		if (whole_ns)
			until_ns = (uint64_t)((unsigned __int128)sum_ns * ns /
					      whole_ns);
		*slot = take(&items[i], until_ns - given_ns, part);
		given_ns = until_ns;
	}
	return 0;
}
