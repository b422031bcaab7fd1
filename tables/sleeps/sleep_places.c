/* SPDX-License-Identifier: MIT */
#include "tables/sleeps/sleep_places.h"

#include "attribution/sleeps/sleeps.h"
#include "common/error.h"

static struct sleep_place *place_at(const struct sleep_places *places,
				    size_t index)
{
	return (struct sleep_place *)places->all.items.items + index;
}

void sleep_places_free(struct sleep_places *places)
{
	for (size_t i = 0; i < places->all.items.count; i++)
		keyed_array_free(&place_at(places, i)->wakers);
	keyed_array_free(&places->all);
}

static struct sleep_place *place_of(struct sleep_places *places,
				    const struct sleep *sleep)
{
	return keyed_array_add(
		&places->all,
		&(struct sleep_place){
			.label = sleep->label,
			.function = sleep->inner,
			.address = sleep->place,
			.stack = sleep->stack,
			.same_at_begin = -1,
			.same_at_end = -1,
			.wakers = KEYED_ARRAY_OF(struct place_waker, waker),
		});
}

static int add_waker(struct sleep_place *place, uint32_t waker)
{
	struct place_waker *added = keyed_array_add(
		&place->wakers, &(struct place_waker){ .waker = waker });

	if (!added)
		return -ERROR_MEMORY;
	added->count++;
	return 0;
}

static void raise_to(uint32_t *most, uint32_t value)
{
	if (value > *most)
		*most = value;
}

static void raise_known(int32_t *most, int32_t value)
{
	if (value > *most)
		*most = value;
}

int sleep_places_add(struct sleep_places *places, const struct sleep *sleep)
{
	struct sleep_place *place = place_of(places, sleep);

	if (!place)
		return -ERROR_MEMORY;
	place->count++;
	place->asleep_ns += sleep->asleep_ns;
	place->runnable_ns += sleep->runnable_ns;
	if (sleep->asleep_ns > place->max_ns)
		place->max_ns = sleep->asleep_ns;
	raise_to(&place->others_at_begin, sleep->others_at_begin);
	raise_to(&place->others_at_end, sleep->others_at_end);
	raise_known(&place->same_at_begin, sleep->same_at_begin);
	raise_known(&place->same_at_end, sleep->same_at_end);
	return add_waker(place, sleep->waker);
}

const struct sleep_place *sleep_places_at(const struct sleep_places *places,
					  size_t index)
{
	return place_at(places, index);
}
