/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_FUNCTION_NAMES_INTERNAL_H
#define KT_COLLECTOR_TRIGGER_FUNCTION_NAMES_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

struct kernel_symbols;

enum { USER_FUNCTIONS_KEPT = 4 };

/* The functions of a file that match a name. */
struct user_functions {
	size_t count;
	/* addresses of the first of them, as shown by nm */
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

/* The kernel's function of a system call has this prefix, then the call's name.
 */
#ifdef __x86_64__
#define SYSTEM_CALL_PREFIX "__x64_sys_"
#else
#define SYSTEM_CALL_PREFIX "__arm64_sys_"
#endif

/* Finds the function of the system call @name; otherwise the kernel function of
 * that name; otherwise a variant that the compiler made of it, such as
 * NAME.isra.0. NAME@0xOFFSET selects the function at that offset
 * (kernel_functions_find()).
 *
 * Returns the number of matches: 0; 1, with the name or address for the
 * kernel's probes in @function; or more, with an unambiguous name for each of
 * them in @function.
 */
size_t function_name_find(const struct kernel_symbols *symbols,
			  const char *name, char *function, size_t size);

/* Writes the names nearest to @name, system calls without their prefix, into
 * @list, such as "vfs_read, vfs_write"; "" if none is near.
 */
void function_name_suggest(const struct kernel_symbols *symbols,
			   const char *name, char *list, size_t size);

#endif
