/* SPDX-License-Identifier: MIT */
#include "tables/profile/path_works.h"

#include "common/error.h"

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

/* Each gives the difference of two rounded sums: together they give @ns, and
 * none gives more than it has.
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
