/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/wakers.h"

#include "common/bytes.h"
#include "symbolize/functions/function_table.h"

void wakers_free(struct wakers *wakers)
{
	keyed_array_free(&wakers->chains);
}

const struct waker *wakers_at(const struct wakers *wakers, uint32_t number)
{
	return array_at(&wakers->chains.items, number);
}

bool wakers_has(const struct wakers *wakers, uint32_t number, int32_t tid)
{
	while (number != WAKER_NONE) {
		const struct waker *waker = wakers_at(wakers, number);

		if (waker->interrupt == FUNCTION_NONE && waker->tid == tid)
			return true;
		number = waker->earlier;
	}
	return false;
}

uint32_t wakers_add(struct wakers *wakers, const struct waker *waker)
{
	struct waker wanted = *waker;
	const struct waker *found;

	if (wanted.interrupt != FUNCTION_NONE)
		wanted.pid = wanted.tid = -1;
	found = keyed_array_add(&wakers->chains, &wanted);
	return found ? (uint32_t)(found - wakers_at(wakers, 0)) : WAKER_NONE;
}

static void pack_one(struct pack *pack, struct waker *waker, uint32_t number,
		     uint32_t functions)
{
	pack_u32(pack, &waker->earlier);
	pack_u32(pack, &waker->function);
	pack_u32(pack, &waker->interrupt);
	pack_i32(pack, &waker->pid);
	pack_i32(pack, &waker->tid);
	pack_check(pack,
		   waker->earlier == WAKER_NONE || waker->earlier < number);
	pack_check(pack, waker->function < functions);
	pack_check(pack, waker->interrupt == FUNCTION_NONE ||
				 waker->interrupt < functions);
}

void wakers_pack(struct wakers *wakers, struct pack *pack, uint32_t functions)
{
	uint32_t count = (uint32_t)wakers->chains.items.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct waker waker = { 0 };

		if (!pack->is_reading)
			waker = *wakers_at(wakers, i);
		pack_one(pack, &waker, i, functions);
		if (pack->is_reading && !pack->failed)
			pack_check(pack, wakers_add(wakers, &waker) == i);
	}
}
