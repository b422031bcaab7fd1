/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEP_PLACES_H
#define KT_TABLES_SLEEP_PLACES_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

struct sleep;

/* A waker of sleeps at one place, and the number of these sleeps. */
struct place_waker {
	uint32_t waker; /* a chain's number, or WAKER_NONE */
	uint64_t count;
};

/* A place at which one system call slept, identified by its call path: the same
 * label on another path is another place.
 */
struct sleep_place {
	uint32_t label;	   /* the function that decided to wait */
	uint32_t function; /* the function that label called to sleep */
	uint64_t address;  /* in label; 0 if unknown */
	uint32_t stack;	   /* as in struct sleep */
	uint64_t count;
	uint64_t asleep_ns;
	uint64_t runnable_ns; /* after the sleeps */
	uint64_t max_ns;      /* the longest sleep */
	/* Maximum numbers of other tasks asleep at the label when a sleep
	 * started and ended; same_*: those that wait for the same object, -1 if
	 * unknown.
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	int32_t same_at_begin;
	int32_t same_at_end;
	struct keyed_array wakers; /* struct place_waker */
};

/* The places at which one system call slept, in order of first sleep. */
struct sleep_places {
	struct keyed_array all; /* struct sleep_place */
};

#define SLEEP_PLACES_EMPTY \
	((struct sleep_places){ KEYED_ARRAY_OF(struct sleep_place, stack) })

/* Frees all memory and empties @places. */
void sleep_places_free(struct sleep_places *places);

/* Adds @sleep to its place. Returns 0 or -ERROR_MEMORY. */
int sleep_places_add(struct sleep_places *places, const struct sleep *sleep);

const struct sleep_place *sleep_places_at(const struct sleep_places *places,
					  size_t index);

#endif
