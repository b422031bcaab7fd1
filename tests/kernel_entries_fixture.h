/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_KERNEL_ENTRIES_FIXTURE_H
#define KT_TESTS_KERNEL_ENTRIES_FIXTURE_H

#include "common/array.h"

#include <stdint.h>

struct kernel_entries {
	struct array by_name; /* struct kernel_entry */
	uint64_t first;	      /* the lowest address */
};

/* Returns the symbols of the kernel proper from the copy of kallsyms in the
 * recording at @path. Only tests use this parser, so it is independent of the
 * tested one.
 */
struct kernel_entries kernel_entries_read(const char *path);
void kernel_entries_free(struct kernel_entries *entries);

/* Writes to @name (up to @size bytes) the name that reports give the function
 * at @address: if several symbols of the kernel proper share its name, its
 * offset from the first symbol is appended.
 */
void kernel_entries_tell_apart(const struct kernel_entries *entries,
			       uint64_t address, char *name, size_t size);

#endif
