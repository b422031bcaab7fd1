/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_BUILD_ID_CACHE_H
#define KT_COMMON_FORMATS_BUILD_ID_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Build ids show whether a file of this machine is the file that ran when a
 * recording was made. The linker writes a build id into each program and
 * library, and into the kernel: a hash of the content, which differs for each
 * build. A recording has the build ids of the kernel and of the mapped files.
 * Readers compare them with the build id of a file before they use the file's
 * code, names or lines.
 *
 * Source: the note NT_GNU_BUILD_ID (elf(5)); /sys/kernel/notes.
 */

/* The kernel and perf do not support longer build ids (BUILD_ID_SIZE_MAX in
 * include/linux/buildid.h).
 */
enum { ELF_BUILD_ID_SIZE = 20 };

/* Identifies the content of an ELF file: each build has a different one. */
struct elf_build_id {
	size_t size;			  /* 0: none */
	uint8_t bytes[ELF_BUILD_ID_SIZE]; /* padded with zeros */
};

/* Returns whether both are equal. Compares only the bytes, because not every
 * record of a build id has its size.
 */
static inline bool elf_build_id_is(const struct elf_build_id *a,
				   const struct elf_build_id *b)
{
	return !memcmp(a->bytes, b->bytes, ELF_BUILD_ID_SIZE);
}

/* Returns the build id of the file at @path: an empty one if it is no ELF file,
 * has none or a longer one, or cannot be read.
 */
struct elf_build_id elf_build_id_of_file(const char *path);

/* Returns the build id of the running kernel, from /sys/kernel/notes: an empty
 * one if the file cannot be read or has none.
 */
struct elf_build_id elf_build_id_of_kernel(void);

/* The build ids of files, each read once: many processes have the same
 * libraries.
 */
struct build_id_cache;

/* Returns an empty cache; NULL when out of memory. */
struct build_id_cache *build_id_cache_new(void);

void build_id_cache_free(struct build_id_cache *cache);

/* Returns the cached build id of the file called @name; if *@is_new, it is
 * empty and the caller sets it. The pointer is valid until the next call.
 * Returns NULL when out of memory.
 */
struct elf_build_id *build_id_cache_at(struct build_id_cache *cache,
				       const char *name, bool *is_new);

/* Returns the build id of the file at @path, like elf_build_id_of_file(), but
 * an empty one when out of memory.
 */
struct elf_build_id build_id_cache_of(struct build_id_cache *cache,
				      const char *path);

#endif
