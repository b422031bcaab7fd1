/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LATENCY_NAMES_H
#define KT_TABLES_LATENCY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct latency;
struct latency_answer;
struct latency_path;
struct function_table;

/* One of the counts of a result, with its description. */
struct latency_count {
	const char *name; /* as in struct latency_answer */
	const char *text;
	uint64_t count;
};

/* Sets *@count to count @index. Returns false after the last. */
bool latency_count_at(const struct latency_answer *answer, size_t index,
		      struct latency_count *count);

/* Returns the functions of @path, a path of @latency, as text: see
 * stack_text().
 */
char *latency_path_name(const struct latency *latency,
			const struct latency_path *path,
			const struct function_table *functions);

#endif
