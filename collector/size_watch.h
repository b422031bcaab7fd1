/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SIZE_WATCH_H
#define KT_COLLECTOR_SIZE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* The first size of a recording that is reported. */
#define SIZE_WATCH_FIRST (UINT64_C(1) << 30)

/* Watches the growth of a recording, which can fill a disk in minutes. */
struct size_watch {
	uint64_t next_bytes; /* the next size to report; 0: SIZE_WATCH_FIRST */
};

/* Returns whether a recording of @bytes has just reached SIZE_WATCH_FIRST, or
 * doubled since the last report, so that the user should be informed.
 */
bool size_watch_is_news(struct size_watch *watch, uint64_t bytes);

#endif
