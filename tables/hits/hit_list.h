/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_HIT_LIST_H
#define KT_TABLES_HIT_LIST_H

#include "common/recording_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct recording;

/* A hit of a trigger, for which the trace before it was saved. */
struct hit {
	struct trigger_hit what; /* its text is NUL-terminated */
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint64_t frozen_ns; /* when tracing had stopped on all CPUs */
};

/* Returns whether @recording was made with triggers, even if none hit. */
bool hit_list_is_wanted(const struct recording *recording);

/* Appends the hits of @recording to @hits, an array of struct hit, ordered by
 * hit_ns. Records that are too short are left out.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int hit_list_read(const struct recording *recording, struct array *hits);

/* Returns the index of the first of @hits at @time_ns or later. */
size_t hit_list_from(const struct array *hits, uint64_t time_ns);

#endif
