/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WAKERS_H
#define KT_ATTRIBUTION_WAKERS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* A waker, linked to the waker that had woken it before: a chain. */
struct waker {
	uint32_t earlier;  /* the waker of this one, or WAKER_NONE */
	uint32_t function; /* the function that decided to wake */
	/* the interrupt that contained it, or FUNCTION_NONE */
	uint32_t interrupt;
	/* the waking task; wakers_add() stores -1 for an interrupt */
	int32_t pid;
	int32_t tid;
};

#define WAKER_NONE UINT32_MAX

/* Numbers for chains; equal chains have equal numbers. */
struct wakers {
	/* struct waker; the whole struct is the key */
	struct keyed_array chains;
};

#define WAKERS_NONE \
	((struct wakers){ .chains = KEYED_ARRAY_OF(struct waker, tid) })

void wakers_free(struct wakers *wakers);

/* Returns the number of @waker, adding it if it is new. Ignores the task of an
 * interrupt. Returns WAKER_NONE when out of memory.
 */
uint32_t wakers_add(struct wakers *wakers, const struct waker *waker);

const struct waker *wakers_at(const struct wakers *wakers, uint32_t number);

/* Returns whether thread @tid is in chain @number (WAKER_NONE: in none) other
 * than as the task that an interrupt interrupted.
 */
bool wakers_has(const struct wakers *wakers, uint32_t number, int32_t tid);

/* Writes all chains, or reads them into @wakers, which must be empty, with the
 * same numbers. Function numbers must be below @functions.
 */
void wakers_pack(struct wakers *wakers, struct pack *pack, uint32_t functions);

#endif
