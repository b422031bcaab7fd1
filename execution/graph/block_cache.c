/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_cache.h"

#include "common/array.h"
#include "common/maps.h"
#include "decoder/code/code_image.h"

#include <pthread.h>
#include <stdlib.h>

struct cached_block {
	struct block block;
	struct block_info info;
};

struct block_cache {
	struct array changing;	   /* code_image_changing() */
	pthread_mutex_t lock;	   /* protects the fields below */
	struct array blocks;	   /* struct cached_block */
	struct number_map numbers; /* by address: index in blocks, plus 1 */
};

struct block_cache *block_cache_new(const struct code_image *image)
{
	struct block_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->changing = ARRAY_OF(struct code_unknown);
	cache->blocks = ARRAY_OF(struct cached_block);
	if (pthread_mutex_init(&cache->lock, NULL)) {
		free(cache);
		return NULL;
	}
	if (code_image_changing(image, &cache->changing) == 0)
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
	array_free(&cache->blocks);
	number_map_free(&cache->numbers);
	free(cache);
}

void block_cache_put(struct block_cache *cache, const struct block *block,
		     const struct block_info *info)
{
	const struct cached_block cached = { *block, *info };
	uint64_t *number;

	if (block->kind < BLOCK_JUMP || block->kind >= BLOCK_NO_CODE ||
	    code_unknown_limit(&cache->changing, block->ip, block->bytes) <
		    block->bytes)
		return;
	pthread_mutex_lock(&cache->lock);
	number = number_map_add(&cache->numbers, block->ip);
	if (number && !*number && array_append(&cache->blocks, &cached) == 0)
		*number = cache->blocks.count;
	pthread_mutex_unlock(&cache->lock);
}

bool block_cache_get(struct block_cache *cache, struct block *block,
		     struct block_info *info)
{
	uint32_t next_in_page = info->next_in_page;
	const struct cached_block *cached;
	const uint64_t *number;
	bool is_cached;

	pthread_mutex_lock(&cache->lock);
	number = number_map_find(&cache->numbers, block->ip);
	cached = number && *number ? array_at(&cache->blocks, *number - 1) :
				     NULL;
	is_cached = cached && cached->info.set == info->set;
	if (is_cached) {
		*block = cached->block;
		*info = cached->info;
		info->next_in_page = next_in_page;
	}
	pthread_mutex_unlock(&cache->lock);
	return is_cached;
}
