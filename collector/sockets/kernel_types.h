/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SOCKETS_KERNEL_TYPES_H
#define KT_COLLECTOR_SOCKETS_KERNEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* The kernel's types from /sys/kernel/btf/vmlinux (Documentation/bpf/btf.rst of
 * Linux).
 */
struct kernel_types;

/* Parses @size bytes, which are borrowed. Returns NULL if they are not BTF, or
 * when out of memory.
 */
struct kernel_types *kernel_types_read(const uint8_t *bytes, size_t size);

/* Reads the types of the running kernel. Returns NULL if it has none, or when
 * out of memory.
 */
struct kernel_types *kernel_types_running(void);
void kernel_types_free(struct kernel_types *types);

/* Returns the type number of function @name, or 0. */
uint32_t kernel_types_function(const struct kernel_types *types,
			       const char *name);

/* Returns the byte offset of @member in struct @name, or -1. @member may belong
 * to an anonymous struct or union in it.
 */
int kernel_types_offset(const struct kernel_types *types, const char *name,
			const char *member);

#endif
