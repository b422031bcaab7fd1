/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BUILD_ID_CACHE_H
#define KT_COMMON_BUILD_ID_CACHE_H

#include "common/elf_build_id.h"

/* The build ids of files, each read once: many processes have the same
 * libraries.
 */
struct build_id_cache;

/* Returns NULL when out of memory. */
struct build_id_cache *build_id_cache_new(void);
void build_id_cache_free(struct build_id_cache *cache);

/* Returns the build id of the file at @path, like elf_build_id_of_file(), but
 * an empty one when out of memory.
 */
struct elf_build_id build_id_cache_of(struct build_id_cache *cache,
				      const char *path);

#endif
