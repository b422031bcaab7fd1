/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/path_sums.h"

#include "common/array.h"
#include "common/number_map.h"

#include <stdlib.h>

struct path_sums {
	struct array sums;	    /* struct path_sum */
	struct number_map *numbers; /* by path and process: from 1 */
};

struct path_sums *path_sums_new(void)
{
	struct path_sums *sums = calloc(1, sizeof(*sums));

	if (!sums)
		return NULL;
	sums->sums = ARRAY_OF(struct path_sum);
	sums->numbers = number_map_new();
	if (sums->numbers)
		return sums;
	free(sums);
	return NULL;
}

void path_sums_free(struct path_sums *sums)
{
	if (!sums)
		return;
	array_free(&sums->sums);
	number_map_free(sums->numbers);
	free(sums);
}

static struct path_sum *sum_of(struct path_sums *sums, int32_t pid,
			       uint32_t path)
{
	uint64_t *number = number_map_add(sums->numbers,
					  (uint64_t)path << 32 | (uint32_t)pid);
	struct path_sum *sum;

	if (!number)
		return NULL;
	if (*number)
		return array_at(&sums->sums, *number - 1);
	sum = array_add(&sums->sums);
	if (!sum)
		return NULL;
	*number = sums->sums.count;
	sum->path = path;
	sum->pid = pid;
	return sum;
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
	return index < sums->sums.count ? array_at(&sums->sums, index) : NULL;
}
