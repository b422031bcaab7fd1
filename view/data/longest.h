/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_LONGEST_H
#define KT_VIEW_LONGEST_H

#include "view/data/slice.h"

#include <stdint.h>

enum { LONGEST_KEPT = 50 };

struct pack;

/* The longest slices of some kind, and their total number. */
struct longest {
	struct view_slice slices[LONGEST_KEPT]; /* longest first */
	uint32_t kept;
	uint64_t count;
	uint64_t sum_ns;
};

void longest_take(struct longest *longest, const struct view_slice *slice);

/* Writes or reads @longest. */
void longest_pack(struct longest *longest, struct pack *pack);

#endif
