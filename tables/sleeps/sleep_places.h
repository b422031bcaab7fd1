/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEP_PLACES_H
#define KT_TABLES_SLEEP_PLACES_H

#include "common/keyed_array.h"

#include <stddef.h>
#include <stdint.h>

struct sleep;

/* Who ended sleeps at a place, and how many. */
struct place_waker {
	uint32_t waker; /* a chain's number, or WAKER_NONE */
	uint64_t count;
};

/* A place at which one system call slept: the same label on another way there
 * is another place.
 */
struct sleep_place {
	uint32_t label;	   /* the function that decided to wait */
	uint32_t function; /* what that called to sleep */
	uint64_t address;  /* where in label; 0 if unknown */
	uint32_t stack;	   /* as in struct sleep */
	uint64_t count;
	uint64_t asleep_ns;
	uint64_t runnable_ns; /* after it */
	uint64_t max_ns;      /* the longest sleep */
	/* Most other tasks at the label when a sleep began, or ended; of these,
	 * for the same object: -1 if unknown.
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	int32_t same_at_begin;
	int32_t same_at_end;
	struct keyed_array wakers; /* struct place_waker */
};

/* The places at which one system call slept, in the order of the first time. */
struct sleep_places {
	struct keyed_array all; /* struct sleep_place */
};

#define SLEEP_PLACES_EMPTY \
	((struct sleep_places){ KEYED_ARRAY_OF(struct sleep_place, stack) })

/* Forgets all. */
void sleep_places_free(struct sleep_places *places);

/* Returns 0 or -ERROR_MEMORY. */
int sleep_places_add(struct sleep_places *places, const struct sleep *sleep);

const struct sleep_place *sleep_places_at(const struct sleep_places *places,
					  size_t index);

#endif
