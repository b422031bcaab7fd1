/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_MADE_FUNCTIONS_FIXTURE_H
#define KT_TESTS_MADE_FUNCTIONS_FIXTURE_H

#include <stdint.h>

struct function_table;
struct symbols;
struct context_kinds;

/* The functions of a made-up recording, and the kinds of work they begin. */
struct made_functions {
	struct function_table *own; /* or NULL */
	const struct function_table *table;
	struct context_kinds *kinds;
};

/* Returns the functions that begin work (symbolize/arch/arch.h), and a few
 * others.
 */
struct made_functions made_functions_new(void);

/* Returns the functions of @symbols, which are borrowed. */
struct made_functions made_functions_of(const struct symbols *symbols);
void made_functions_free(struct made_functions *functions);

/* Returns the number of a kernel function, or of a user space one as "u:name";
 * fails the test if it is unknown.
 */
uint32_t made_functions_find(const struct made_functions *functions,
			     const char *name);

#endif
