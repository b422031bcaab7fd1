/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_NAMES_H
#define KT_COLLECTOR_KERNEL_NAMES_H

#include "common/byte_buffer.h"

/* The names of the kernel's functions.  A zeroed one has none. */
struct kernel_names {
	struct byte_buffer kallsyms; /* the text of /proc/kallsyms */
	struct byte_buffer modules;  /* that of /proc/modules, at that time */
};

/* Reads the names, unless they are there and no module has come or gone since:
 * the kernel takes long to write them.  What cannot be read stays empty.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int kernel_names_read(struct kernel_names *names);

void kernel_names_free(struct kernel_names *names);

#endif
