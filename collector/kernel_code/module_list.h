/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_MODULE_LIST_H
#define KT_COLLECTOR_MODULE_LIST_H

#include <stdint.h>

struct array;
struct byte_buffer;

/* A kernel module as listed in /proc/modules. */
struct module {
	char name[64]; /* MODULE_NAME_LEN is 56 */
	uint64_t address;
	uint64_t size_bytes;
};

/* Parses the @text of /proc/modules, which must end with a NUL, and appends its
 * modules, in order of address, to @modules.
 *
 * Skips modules without an address, which are being loaded or whose address the
 * kernel hides. Returns 0 or -ERROR_MEMORY.
 */
int module_list_parse(const char *text, struct array *modules);

/* Appends the modules that are loaded now; none for a kernel without module
 * support. Returns 0, -ERROR_SYSTEM with errno set, or -ERROR_MEMORY.
 */
int module_list_read(struct array *modules);

#endif
