/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_USER_FUNCTION_H
#define KT_COLLECTOR_USER_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

enum { USER_FUNCTIONS_KEPT = 4 };

/* Functions of a file that one name means. */
struct user_functions {
	size_t count;
	uint64_t addresses[USER_FUNCTIONS_KEPT]; /* of some, as nm shows them */
	uint64_t offset; /* in the file, of the only one: uprobes count by it */
};

/* Finds those called @name in the ELF file @path; NAME@0xADDRESS is the one at that
 * address.
 *
 * Returns 0 and *@found; -ERROR_SYSTEM with errno set if there is no such file;
 * -ERROR_FORMAT if it is no ELF file; -ERROR_NOT_FOUND if it has no such symbol.
 */
int user_functions_find(const char *path, const char *name,
			struct user_functions *found);

#endif
