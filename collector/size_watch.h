/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SIZE_WATCH_H
#define KT_COLLECTOR_SIZE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* The first size of a recording that is said. */
#define SIZE_WATCH_FIRST (UINT64_C(1) << 30)

/* Watches how a recording grows: it fills disks in minutes. */
struct size_watch {
	uint64_t next_bytes; /* that are said; 0: SIZE_WATCH_FIRST */
};

/* Returns whether a recording of @bytes has just doubled beyond
 * SIZE_WATCH_FIRST, or come to it, which its user should know.
 */
bool size_watch_is_news(struct size_watch *watch, uint64_t bytes);

#endif
