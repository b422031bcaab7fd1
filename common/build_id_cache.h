/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BUILD_ID_CACHE_H
#define KT_COMMON_BUILD_ID_CACHE_H

#include "common/elf_build_id.h"

#include <stdbool.h>

/* The build ids of files, each read once: many processes have the same
 * libraries.
 */
struct build_id_cache;

/* Returns NULL when out of memory. */
struct build_id_cache *build_id_cache_new(void);
void build_id_cache_free(struct build_id_cache *cache);

/* Returns the place of the build id of the file called @name, which is empty
 * and for the caller to fill if *@is_new; valid until the next call. NULL when
 * out of memory.
 */
struct elf_build_id *build_id_cache_at(struct build_id_cache *cache,
				       const char *name, bool *is_new);

/* Returns the build id of the file at @path, like elf_build_id_of_file(), but
 * an empty one when out of memory.
 */
struct elf_build_id build_id_cache_of(struct build_id_cache *cache,
				      const char *path);

#endif
