/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_cache.h"

#include "common/array.h"
#include "common/maps.h"
#include "common/memory.h"
#include "decoder/code/code_image.h"

#include <pthread.h>
#include <stdlib.h>

struct cached_block {
	struct block block;
	struct block_info info;
};

struct block_cache {
	struct array changing;	 /* code_image_changing() */
	pthread_mutex_t lock;	 /* protects the fields below */
	struct arena *blocks;	 /* struct cached_block */
	struct number_map by_ip; /* to struct cached_block */
};

struct block_cache *block_cache_new(const struct code_image *image)
{
	struct block_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->changing = ARRAY_OF(struct code_unknown);
	if (pthread_mutex_init(&cache->lock, NULL)) {
		free(cache);
		return NULL;
	}
	cache->blocks = arena_new();
	if (cache->blocks && code_image_changing(image, &cache->changing) == 0)
		return cache;
	block_cache_free(cache);
	return NULL;
}

void block_cache_free(struct block_cache *cache)
{
	if (!cache)
		return;
	pthread_mutex_destroy(&cache->lock);
	array_free(&cache->changing);
	arena_free(cache->blocks);
	number_map_free(&cache->by_ip);
	free(cache);
}

/* Returns the cached block at @ip, or NULL. The cache must be locked. */
static const struct cached_block *find(const struct block_cache *cache,
				       uint64_t ip)
{
	return number_map_pointer(&cache->by_ip, ip);
}

/* Adds the block, unless there is one at its address. Returns that block, or
 * NULL when out of memory. The cache must be locked.
 */
static const struct cached_block *add(struct block_cache *cache,
				      const struct block *block,
				      const struct block_info *info)
{
	const struct cached_block *known = find(cache, block->ip);
	struct cached_block *added;
	uint64_t *slot;

	if (known)
		return known;
	added = arena_alloc(cache->blocks, sizeof(*added));
	slot = added ? number_map_add(&cache->by_ip, block->ip) : NULL;
	if (!slot)
		return NULL;
	*added = (struct cached_block){ *block, *info };
	*slot = (uintptr_t)added;
	return added;
}

/* Returns the info of @cached, which may be NULL, if it is of @set. */
static const struct block_info *info_of(const struct cached_block *cached,
					uint8_t set)
{
	return cached && cached->info.set == set ? &cached->info : NULL;
}

const struct block_info *block_cache_put(struct block_cache *cache,
					 const struct block *block,
					 const struct block_info *info)
{
	const struct cached_block *cached;

	if (block->kind < BLOCK_JUMP || block->kind >= BLOCK_NO_CODE ||
	    code_unknown_limit(&cache->changing, block->ip, block->bytes) <
		    block->bytes)
		return NULL;
	pthread_mutex_lock(&cache->lock);
	cached = add(cache, block, info);
	pthread_mutex_unlock(&cache->lock);
	return info_of(cached, info->set);
}

const struct block_info *block_cache_get(struct block_cache *cache, uint64_t ip,
					 uint8_t set, struct block *block)
{
	const struct cached_block *cached;

	pthread_mutex_lock(&cache->lock);
	cached = find(cache, ip);
	pthread_mutex_unlock(&cache->lock);
	if (!info_of(cached, set))
		return NULL;
	*block = cached->block;
	return &cached->info;
}
