/* SPDX-License-Identifier: MIT */
#include "common/build_id_cache.h"

#include "common/array.h"
#include "common/string_pool.h"

#include <stdlib.h>
#include <string.h>

struct build_id_cache {
	struct string_pool *paths;
	struct array ids; /* struct elf_build_id, by the number of its path */
};

struct build_id_cache *build_id_cache_new(void)
{
	struct build_id_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->ids = ARRAY_OF(struct elf_build_id);
	cache->paths = string_pool_new();
	if (cache->paths)
		return cache;
	free(cache);
	return NULL;
}

void build_id_cache_free(struct build_id_cache *cache)
{
	if (!cache)
		return;
	string_pool_free(cache->paths);
	array_free(&cache->ids);
	free(cache);
}

struct elf_build_id *build_id_cache_at(struct build_id_cache *cache,
				       const char *name, bool *is_new)
{
	uint32_t number = string_pool_add(cache->paths, name, strlen(name));

	*is_new = false;
	if (number == STRING_POOL_NONE)
		return NULL;
	*is_new = number >= cache->ids.count;
	return array_reach(&cache->ids, number);
}

struct elf_build_id build_id_cache_of(struct build_id_cache *cache,
				      const char *path)
{
	bool is_new;
	struct elf_build_id *id = build_id_cache_at(cache, path, &is_new);

	if (!id)
		return (struct elf_build_id){ 0 };
	if (is_new)
		*id = elf_build_id_of_file(path);
	return *id;
}
