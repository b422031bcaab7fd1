/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_FUNCTION_NAMES_H
#define KT_COLLECTOR_FUNCTION_NAMES_H

#include <stddef.h>

struct kernel_symbols;

/* How the kernel calls the function of a system call: this, then the call. */
#ifdef __x86_64__
#define SYSTEM_CALL_PREFIX "__x64_sys_"
#else
#define SYSTEM_CALL_PREFIX "__arm64_sys_"
#endif

/* Finds the function of the system call @name, else the kernel function of that
 * name, else one that the compiler made of it, such as NAME.isra.0; NAME@0xPLACE
 * is the one there (kernel_functions.h).
 *
 * Returns how many it means: 0; 1, and what the kernel's probes find it by in
 * @function: its name or address; or more, and names for each of them there.
 */
size_t function_name_find(const struct kernel_symbols *symbols,
			  const char *name, char *function, size_t size);

/* Puts the names nearest to @name, system calls without their prefix, into
 * @list, as "vfs_read, vfs_write"; "" if none is near.
 */
void function_name_suggest(const struct kernel_symbols *symbols,
			   const char *name, char *list, size_t size);

#endif
