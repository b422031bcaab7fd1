/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleep_places.h"

#include "attribution/sleeps/sleeps.h"
#include "common/error.h"

static struct sleep_place *place_at(const struct sleep_places *places,
				    size_t index)
{
	return (struct sleep_place *)places->all.items + index;
}

void sleep_places_free(struct sleep_places *places)
{
	for (size_t i = 0; i < places->all.count; i++)
		array_free(&place_at(places, i)->wakers);
	array_free(&places->all);
	places->count = 0;
}

void sleep_places_clear(struct sleep_places *places)
{
	places->count = 0;
}

static struct sleep_place *add_place(struct sleep_places *places,
				     const struct sleep *sleep)
{
	struct sleep_place *place = places->count < places->all.count ?
					    place_at(places, places->count) :
					    array_add(&places->all);
	struct array wakers;

	if (!place)
		return NULL;
	places->count++;
	wakers = place->wakers;
	if (!wakers.item_size)
		wakers = ARRAY_OF(struct place_waker);
	wakers.count = 0;
	*place = (struct sleep_place){
		.label = sleep->label,
		.function = sleep->inner,
		.address = sleep->place,
		.stack = sleep->stack,
		.same_at_begin = -1,
		.same_at_end = -1,
		.wakers = wakers,
	};
	return place;
}

static struct sleep_place *place_of(struct sleep_places *places,
				    const struct sleep *sleep)
{
	for (size_t i = 0; i < places->count; i++) {
		struct sleep_place *place = place_at(places, i);

		if (place->label == sleep->label &&
		    place->function == sleep->inner &&
		    place->address == sleep->place &&
		    place->stack == sleep->stack)
			return place;
	}
	return add_place(places, sleep);
}

static int add_waker(struct sleep_place *place, uint32_t waker)
{
	struct place_waker *wakers = place->wakers.items;
	struct place_waker *added;

	for (size_t i = 0; i < place->wakers.count; i++)
		if (wakers[i].waker == waker) {
			wakers[i].count++;
			return 0;
		}
	added = array_add(&place->wakers);
	if (!added)
		return -ERROR_MEMORY;
	added->waker = waker;
	added->count = 1;
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
