/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_NAMES_H
#define KT_COLLECTOR_KERNEL_NAMES_H

#include "common/bytes.h"

/* The names of the kernel's functions. Zeroed: empty. */
struct kernel_names {
	struct byte_buffer kallsyms; /* the text of /proc/kallsyms */
	/* the text of /proc/modules, read at the same time */
	struct byte_buffer modules;
};

/* Reads the names, unless they were read already and no module was loaded or
 * removed since: the kernel takes long to generate them. A file that cannot be
 * read counts as empty.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int kernel_names_read(struct kernel_names *names);

void kernel_names_free(struct kernel_names *names);

#endif
