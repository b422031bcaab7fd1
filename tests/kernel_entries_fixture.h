/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_KERNEL_ENTRIES_FIXTURE_H
#define KT_TESTS_KERNEL_ENTRIES_FIXTURE_H

#include "common/array.h"

#include <stdint.h>

struct kernel_entries {
	struct array by_name; /* struct kernel_entry */
	uint64_t first;	      /* the lowest address */
};

/* Returns the entries of the kernel proper, by the copy of kallsyms in the recording
 * at @path: read for a test, by nothing that is tested.
 */
struct kernel_entries kernel_entries_read(const char *path);
void kernel_entries_free(struct kernel_entries *entries);

/* Writes what reports call the function @name (up to @size bytes) that begins at
 * @address: its place behind the first entry follows if it is one of several
 * entries of the kernel proper that have its name.
 */
void kernel_entries_tell_apart(const struct kernel_entries *entries,
			       uint64_t address, char *name, size_t size);

#endif
