/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_USER_FUNCTION_H
#define KT_COLLECTOR_USER_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

enum { USER_FUNCTIONS_KEPT = 4 };

/* The functions of a file that match a name. */
struct user_functions {
	size_t count;
	/* of the first ones, as shown by nm */
	uint64_t addresses[USER_FUNCTIONS_KEPT];
	uint64_t offset; /* file offset for uprobes, if there is only one */
};

/* Finds the functions called @name in the ELF file @path; NAME@0xADDRESS
 * selects the function at that address.
 *
 * Returns 0 and *@found; -ERROR_SYSTEM with errno set if there is no such file;
 * -ERROR_FORMAT if it is no ELF file; -ERROR_NOT_FOUND if it has no such
 * symbol.
 */
int user_functions_find(const char *path, const char *name,
			struct user_functions *found);

#endif
