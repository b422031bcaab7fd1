/* SPDX-License-Identifier: MIT */
#include "collector/size_watch.h"

bool size_watch_is_news(struct size_watch *watch, uint64_t bytes)
{
	bool is_news = false;

	if (!watch->next_bytes)
		watch->next_bytes = SIZE_WATCH_FIRST;
	while (bytes >= watch->next_bytes && watch->next_bytes) {
		watch->next_bytes *= 2;
		is_news = true;
	}
	return is_news;
}
