/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_HIT_LIST_H
#define KT_TABLES_HIT_LIST_H

#include "common/trigger_hit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct recording;

/* One time that a trigger hit and the trace before it was kept. */
struct hit {
	struct trigger_hit what; /* its text is ended by NUL */
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint64_t frozen_ns; /* when all trace had been stopped */
};

/* Returns whether @recording was made with triggers, hit or not. */
bool hit_list_is_wanted(const struct recording *recording);

/* Appends the hits of @recording to @hits, an array of struct hit, ordered by
 * hit_ns.  Records that are too short to be one are left out.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int hit_list_read(const struct recording *recording, struct array *hits);

/* Returns the first place in @hits whose hit was at @time_ns or later. */
size_t hit_list_from(const struct array *hits, uint64_t time_ns);

#endif
