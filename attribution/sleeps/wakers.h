/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WAKERS_H
#define KT_ATTRIBUTION_WAKERS_H

#include "common/keyed_array.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* Who woke somebody, and who woke that one before: a chain. */
struct waker {
	uint32_t earlier;   /* who woke the waker, or WAKER_NONE */
	uint32_t function;  /* that decided to wake */
	uint32_t interrupt; /* it was part of, or FUNCTION_NONE */
	int32_t pid;	    /* the task that woke; in an interrupt the one
				 * that happened to run */
	int32_t tid;
};

#define WAKER_NONE UINT32_MAX

/* Chains as numbers: equal ones have equal numbers. */
struct wakers {
	struct keyed_array chains; /* struct waker, all of which is its key */
};

#define WAKERS_NONE \
	((struct wakers){ .chains = KEYED_ARRAY_OF(struct waker, tid) })

void wakers_free(struct wakers *wakers);

/* Returns the number of @waker, adding it if it is new; of interrupts the
 * task does not count.  WAKER_NONE when out of memory.
 */
uint32_t wakers_add(struct wakers *wakers, const struct waker *waker);

const struct waker *wakers_at(const struct wakers *wakers, uint32_t number);

/* Returns whether thread @tid is in chain @number (WAKER_NONE: in none), not as the
 * one that an interrupt happened to stop.
 */
bool wakers_has(const struct wakers *wakers, uint32_t number, int32_t tid);

/* Writes all chains, or adds those that it reads to @wakers, which has none: with
 * their numbers.  There are @functions functions.
 */
void wakers_pack(struct wakers *wakers, struct pack *pack, uint32_t functions);

#endif
