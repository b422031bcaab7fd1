/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/waiters.h"

#include "common/error.h"

void waiters_free(struct waiters *waiters)
{
	number_map_free(&waiters->labels);
	number_map_free(&waiters->objects);
}

int waiters_enter(struct waiters *waiters, const struct wait_key *place,
		  struct other_waiters *others)
{
	uint64_t *count = number_map_add(&waiters->labels, place->label);

	if (!count)
		return -ERROR_MEMORY;
	others->at_label = (uint32_t)(*count)++;
	others->for_object = -1;
	if (!place->object)
		return 0;
	count = number_map_add(&waiters->objects, place->object);
	if (!count)
		return -ERROR_MEMORY;
	others->for_object = (int32_t)(*count)++;
	return 0;
}

struct other_waiters waiters_leave(struct waiters *waiters,
				   const struct wait_key *place)
{
	struct other_waiters others = {
		.at_label = (uint32_t)number_map_lower(&waiters->labels,
						       place->label),
		.for_object = -1,
	};

	if (place->object)
		others.for_object = (int32_t)number_map_lower(&waiters->objects,
							      place->object);
	return others;
}
