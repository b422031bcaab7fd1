/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_TABLE_H
#define KT_EXECUTION_BLOCK_TABLE_H

#include "common/file_map.h"
#include "execution/graph/block.h"

/* The blocks with their infos, indexed by number, by address and by page of the
 * code.
 */
struct block_table {
	struct block *blocks; /* the first is BLOCK_NONE; stored in */
	struct pages block_pages;
	struct block_info *infos; /* stored in */
	struct pages info_pages;
	uint32_t count; /* 0: not even BLOCK_NONE */
	uint32_t room;
	uint32_t *slots; /* open addressing by ip and space: see slot_of() */
	uint32_t mask;	 /* of the slots; at most half are used */
	uint32_t *pages; /* the first block of the pages with the same hash */
};

void block_table_free(struct block_table *table);

static inline uint32_t block_hash(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15 >> 32);
}

static inline uint32_t block_place_hash(uint64_t ip, uint32_t space)
{
	return block_hash(ip ^ (uint64_t)space << 47);
}

/* Returns the block of @ip, @space and @set, an enum instruction_set; or BLOCK_NONE.
 */
uint32_t block_table_find(const struct block_table *table, uint64_t ip,
			  uint32_t space, uint8_t set);

/* Adds a block with this key and no other data. Returns BLOCK_NONE if there is
 * no room. Blocks may move in memory.
 */
uint32_t block_table_add(struct block_table *table, uint64_t ip, uint32_t space,
			 uint8_t set);

/* Returns the first block of those in the page of @address and in pages that
 * share its slot; the others follow by next_in_page. The table must not be
 * empty.
 */
uint32_t block_table_page(const struct block_table *table, uint64_t address);

enum { BLOCK_PAGE_SHIFT = 12 };

#endif
