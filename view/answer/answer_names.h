/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWER_NAMES_H
#define KT_VIEW_ANSWER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct function_table;
struct json_out;

/* The functions to which an answer refers by number. */
struct answer_names {
	const struct function_table *functions; /* borrowed */
	bool *is_named;				/* by number */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @named either way. */
int answer_names_init(struct answer_names *named,
		      const struct function_table *functions);
void answer_names_free(struct answer_names *named);

/* Adds @function, unless it is not a valid function number. */
void answer_names_add(struct answer_names *named, uint32_t function);

/* Writes the member "functions": the names by number. */
void answer_names_write(const struct answer_names *named,
			struct json_out *json);

#endif
