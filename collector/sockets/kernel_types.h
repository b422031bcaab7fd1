/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_TYPES_H
#define KT_COLLECTOR_KERNEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* The kernel's types, as /sys/kernel/btf/vmlinux has them
 * (Documentation/bpf/btf.rst of Linux).
 */
struct kernel_types;

/* Reads @size bytes, which are borrowed.  Returns NULL if they are something
 * else, or when out of memory.
 */
struct kernel_types *kernel_types_read(const uint8_t *bytes, size_t size);
void kernel_types_free(struct kernel_types *types);

/* Returns the number of function @name, or 0. */
uint32_t kernel_types_function(const struct kernel_types *types,
			       const char *name);

/* Returns where in struct @name its @member begins, in bytes, or -1; that may
 * be a member of a struct or union in it that has no name.
 */
int kernel_types_offset(const struct kernel_types *types, const char *name,
			const char *member);

#endif
