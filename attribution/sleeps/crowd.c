/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/crowd.h"

#include "common/error.h"
#include "common/number_map.h"

#include <stdlib.h>

struct crowd {
	struct number_map *labels;
	struct number_map *objects;
};

struct crowd *crowd_new(void)
{
	struct crowd *crowd = calloc(1, sizeof(*crowd));

	if (!crowd)
		return NULL;
	crowd->labels = number_map_new();
	crowd->objects = number_map_new();
	if (crowd->labels && crowd->objects)
		return crowd;
	crowd_free(crowd);
	return NULL;
}

void crowd_free(struct crowd *crowd)
{
	if (!crowd)
		return;
	number_map_free(crowd->labels);
	number_map_free(crowd->objects);
	free(crowd);
}

int crowd_enter(struct crowd *crowd, const struct crowd_place *place,
		struct crowd_others *others)
{
	uint64_t *count = number_map_add(crowd->labels, place->label);

	if (!count)
		return -ERROR_MEMORY;
	others->at_label = (uint32_t)(*count)++;
	others->for_object = -1;
	if (!place->object)
		return 0;
	count = number_map_add(crowd->objects, place->object);
	if (!count)
		return -ERROR_MEMORY;
	others->for_object = (int32_t)(*count)++;
	return 0;
}

/* Returns how many are left. */
static uint64_t remove_one(struct number_map *map, uint64_t key)
{
	uint64_t *count = number_map_find(map, key);
	uint64_t left = count && *count ? --*count : 0;

	if (count && !left)
		number_map_remove(map, key);
	return left;
}

struct crowd_others crowd_leave(struct crowd *crowd,
				const struct crowd_place *place)
{
	struct crowd_others others = {
		.at_label = (uint32_t)remove_one(crowd->labels, place->label),
		.for_object = -1,
	};

	if (place->object)
		others.for_object =
			(int32_t)remove_one(crowd->objects, place->object);
	return others;
}
