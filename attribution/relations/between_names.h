/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_BETWEEN_NAMES_H
#define KT_ATTRIBUTION_BETWEEN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct between;
struct between_answer;
struct between_path;
struct function_table;

/* One of the numbers of an answer, and what it is called. */
struct between_count {
	const char *name; /* as in struct between_answer */
	const char *text;
	uint64_t count;
};

/* Returns false after the last. */
bool between_count_at(const struct between_answer *answer, size_t index,
		      struct between_count *count);

/* Returns the functions of @path, one of @between's: see path_text(). */
char *between_path_name(const struct between *between,
			const struct between_path *path,
			const struct function_table *functions);

#endif
