/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_FINDS_H
#define KT_ATTRIBUTION_FINDS_H

#include <stdint.h>

/* When a thread of a process found a message that nobody is known to have sent.
 */
struct find {
	int32_t pid;
	uint64_t time_ns;
};

enum { FINDS = 32 };

/* The last ones.  A zeroed one is empty. */
struct finds {
	struct find items[FINDS];
	uint32_t count; /* of all */
};

void finds_add(struct finds *finds, int32_t pid, uint64_t time_ns);

/* Returns how many of @pid are from @since_ns until before @until_ns. */
uint32_t finds_count(const struct finds *finds, int32_t pid, uint64_t since_ns,
		     uint64_t until_ns);

#endif
