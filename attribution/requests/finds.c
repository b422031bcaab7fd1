/* SPDX-License-Identifier: MIT */
#include "attribution/requests/finds.h"

void finds_add(struct finds *finds, int32_t pid, uint64_t time_ns)
{
	finds->items[finds->count++ % FINDS] = (struct find){ pid, time_ns };
}

uint32_t finds_count(const struct finds *finds, int32_t pid, uint64_t since_ns,
		     uint64_t until_ns)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < FINDS; i++)
		count += finds->items[i].pid == pid &&
			 finds->items[i].time_ns >= since_ns &&
			 finds->items[i].time_ns < until_ns;
	return count;
}
