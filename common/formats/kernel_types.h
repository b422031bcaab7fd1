/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KERNEL_TYPES_H
#define KT_COMMON_KERNEL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's types from /sys/kernel/btf (Documentation/bpf/btf.rst of Linux).
 *
 * Types have numbers from 1 on; 0 stands for none, or for an unknown one. A
 * module's numbers continue after vmlinux's last. Any bytes may be read: damaged
 * types are like missing ones.
 */
struct kernel_types;

/* A recording's copy of the types, kcore_dir/types: for vmlinux and each module
 * an entry, followed by its BTF as a frame of zstd. Entries have no alignment.
 */
struct kernel_types_entry {
	char name[56]; /* "vmlinux", "ext4" */
	uint32_t stored_bytes;
	uint32_t size_bytes;
};

/* Reads the next entry: *@at points to *@left bytes, and both are moved past the
 * entry. Sets *@stored to its frame. Returns false at the end, or if the entry is
 * cut.
 */
bool kernel_types_next(const uint8_t **at, size_t *left,
		       struct kernel_types_entry *entry,
		       const uint8_t **stored);

/* Parses @size bytes, which are borrowed, as is @base: the types of vmlinux if
 * the bytes are those of a module, else NULL. Returns NULL if they are not BTF,
 * or when out of memory.
 */
struct kernel_types *kernel_types_read(const uint8_t *bytes, size_t size,
				       const struct kernel_types *base);

/* Reads the types of the running kernel's vmlinux. Returns NULL if it has none,
 * or when out of memory.
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

/* Return the struct or union that parameter @index of @function, or its result,
 * points to, or 0.
 */
uint32_t kernel_types_parameter(const struct kernel_types *types,
				uint32_t function, uint32_t index);
uint32_t kernel_types_result(const struct kernel_types *types,
			     uint32_t function);

/* Returns the struct or union that the pointer at byte @offset of struct @number
 * points to; 0 if no such pointer is there.
 */
uint32_t kernel_types_pointer_at(const struct kernel_types *types,
				 uint32_t number, uint64_t offset);

/* Writes the member at byte @offset of struct @number whose type has one of
 * @names, a list that ends with NULL, with the struct's name, to @text:
 * "inode->i_rwsem", "super_block->s_writers.rw_sem[1]". Returns false if there is
 * none, the struct has no name, or @text is too small.
 */
bool kernel_types_name_member(const struct kernel_types *types, uint32_t number,
			      uint64_t offset, const char *const *names,
			      char *text, size_t size);

#endif
