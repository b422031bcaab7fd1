/* SPDX-License-Identifier: MIT */
#include "common/formats/build_id_cache.h"

#include "common/array.h"
#include "common/files/regular_file.h"
#include "common/maps.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct elf_build_id id_of(Elf *elf)
{
	struct elf_build_id id = { 0 };
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	if (size > 0 && size <= ELF_BUILD_ID_SIZE) {
		id.size = (size_t)size;
		memcpy(id.bytes, bytes, id.size);
	}
	return id;
}

struct elf_build_id elf_build_id_of_file(const char *path)
{
	struct elf_build_id id = { 0 };
	int fd = regular_file_open(path);
	Elf *elf;

	if (fd < 0)
		return id;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		id = id_of(elf);
	elf_end(elf);
	close(fd);
	return id;
}

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
