/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KERNEL_TYPES_H
#define KT_COMMON_KERNEL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's types from /sys/kernel/btf (Documentation/bpf/btf.rst of Linux).
 *
 * Types have numbers from 1 on; 0 stands for none, or for an unknown one. A
 * module's numbers continue after vmlinux's last. Any bytes may be read:
 * damaged types count as missing.
 */
struct kernel_types;

/* A recording's copy of the types, the file kcore_dir/types, has an entry for
 * vmlinux and for each module. Each is followed by its BTF, a zstd frame of
 * stored_bytes that becomes size_bytes when decompressed. Entries have no
 * alignment.
 */
struct kernel_types_entry {
	char name[56]; /* "vmlinux", "ext4" */
	uint32_t stored_bytes;
	uint32_t size_bytes;
};

/* Reads the next entry: *@at points to *@left bytes, and both are moved past
 * the entry. Sets *@stored to the entry's frame. Returns false at the end, or
 * if the entry is truncated.
 */
bool kernel_types_next(const uint8_t **at, size_t *left,
		       struct kernel_types_entry *entry,
		       const uint8_t **stored);

/* Parses @size bytes of BTF. For a module, @base has the types of vmlinux;
 * otherwise it is NULL. Borrows both. Returns NULL if the bytes are not BTF, or
 * when out of memory.
 */
struct kernel_types *kernel_types_read(const uint8_t *bytes, size_t size,
				       const struct kernel_types *base);

/* Reads the types of the running kernel's vmlinux. Returns NULL if the kernel
 * has none, or when out of memory.
 */
struct kernel_types *kernel_types_running(void);
void kernel_types_free(struct kernel_types *types);

/* Return the type number of function or struct @name, or 0. */
uint32_t kernel_types_function(const struct kernel_types *types,
			       const char *name);
uint32_t kernel_types_struct(const struct kernel_types *types,
			     const char *name);

/* Returns the byte offset of @member in struct @name, or -1. @member may belong
 * to an anonymous struct or union in it.
 */
int kernel_types_offset(const struct kernel_types *types, const char *name,
			const char *member);

/* Return the type number of the struct or union that parameter @index of
 * @function, or its result, points to; 0 if it is no such pointer.
 */
uint32_t kernel_types_parameter(const struct kernel_types *types,
				uint32_t function, uint32_t index);
uint32_t kernel_types_result(const struct kernel_types *types,
			     uint32_t function);

/* Returns the type number of the struct or union that the pointer at byte
 * @offset of struct @number points to; 0 if there is no such pointer.
 */
uint32_t kernel_types_pointer_at(const struct kernel_types *types,
				 uint32_t number, uint64_t offset);

/* Finds the member at byte @offset of struct @number whose type has one of
 * @names, a list that ends with NULL. Writes the struct's name and the path to
 * the member to @text: "inode->i_rwsem", "super_block->s_writers.rw_sem[1]".
 * Returns false if there is no such member, the struct has no name, or @text is
 * too small.
 */
bool kernel_types_name_member(const struct kernel_types *types, uint32_t number,
			      uint64_t offset, const char *const *names,
			      char *text, size_t size);

#endif
