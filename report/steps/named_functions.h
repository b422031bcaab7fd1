/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_NAMED_FUNCTIONS_H
#define KT_REPORT_NAMED_FUNCTIONS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct function_table;
struct name_choice;

/* The functions whose names an option selects. Each name is matched once, at
 * the first query for its function.
 */
struct named_functions {
	const struct function_table *functions; /* borrowed */
	const struct name_choice *choice; /* borrowed; NULL: no function */
	struct array answers;		  /* uint8_t by function */
	int status; /* 0, or -ERROR_MEMORY: some results are wrong */
};

struct named_functions
named_functions_of(const struct function_table *functions,
		   const struct name_choice *choice);
void named_functions_free(struct named_functions *named);

bool named_functions_has(struct named_functions *named, uint32_t function);

#endif
