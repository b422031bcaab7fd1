/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/wakers.h"

#include "common/array.h"
#include "report/text/task_label.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

struct wakers {
	struct array all;  /* struct waker */
	uint32_t *slots;   /* open addressing; WAKER_NONE: free */
	size_t slot_count; /* a power of two; at most half are used */
};

struct wakers *wakers_new(void)
{
	struct wakers *wakers = calloc(1, sizeof(*wakers));

	if (wakers)
		wakers->all = ARRAY_OF(struct waker);
	return wakers;
}

void wakers_free(struct wakers *wakers)
{
	if (!wakers)
		return;
	array_free(&wakers->all);
	free(wakers->slots);
	free(wakers);
}

const struct waker *wakers_at(const struct wakers *wakers, uint32_t number)
{
	return array_at(&wakers->all, number);
}

static uint32_t *slot_of(const struct wakers *wakers, const struct waker *waker)
{
	size_t mask = wakers->slot_count - 1;
	uint64_t hash = 0;
	size_t at;

	hash = ((uint64_t)waker->earlier << 32 | waker->function) +
	       UINT64_C(0x9e3779b97f4a7c15) *
		       ((uint64_t)waker->interrupt << 32 |
			(uint32_t)waker->tid);
	at = (hash * UINT64_C(0xbf58476d1ce4e5b9) >> 24) & mask;
	while (wakers->slots[at] != WAKER_NONE &&
	       memcmp(wakers_at(wakers, wakers->slots[at]), waker,
		      sizeof(*waker)))
		at = (at + 1) & mask;
	return &wakers->slots[at];
}

static int grow(struct wakers *wakers)
{
	size_t count = wakers->slot_count ? wakers->slot_count * 2 : 64;
	uint32_t *slots = malloc(count * sizeof(*slots));

	if (!slots)
		return -1;
	memset(slots, 0xff, count * sizeof(*slots));
	free(wakers->slots);
	wakers->slots = slots;
	wakers->slot_count = count;
	for (uint32_t i = 0; i < wakers->all.count; i++)
		*slot_of(wakers, wakers_at(wakers, i)) = i;
	return 0;
}

uint32_t wakers_add(struct wakers *wakers, const struct waker *waker)
{
	struct waker wanted = *waker;
	struct waker *added;
	uint32_t *slot;

	if (wanted.interrupt != FUNCTION_NONE)
		wanted.pid = wanted.tid = -1;
	if (wakers->all.count * 2 >= wakers->slot_count && grow(wakers))
		return WAKER_NONE;
	slot = slot_of(wakers, &wanted);
	if (*slot != WAKER_NONE)
		return *slot;
	added = array_add(&wakers->all);
	if (!added)
		return WAKER_NONE;
	*added = wanted;
	*slot = (uint32_t)wakers->all.count - 1;
	return *slot;
}

static void write_one(const struct waker *waker,
		      const struct function_table *functions,
		      const struct task_names *names, FILE *out)
{
	if (waker->interrupt != FUNCTION_NONE)
		fprintf(out, "interrupt %s",
			function_at(functions, waker->interrupt)->name);
	else
		fputs(task_label_last(names, waker->tid).text, out);
	if (waker->function != waker->interrupt &&
	    waker->function != FUNCTION_UNKNOWN)
		fprintf(out, " %s",
			function_at(functions, waker->function)->name);
}

void wakers_write(const struct wakers *wakers, uint32_t number,
		  const struct function_table *functions,
		  const struct task_names *names, FILE *out)
{
	for (uint32_t i = number; i != WAKER_NONE;
	     i = wakers_at(wakers, i)->earlier) {
		if (i != number)
			fputs(" < ", out);
		write_one(wakers_at(wakers, i), functions, names, out);
	}
}
