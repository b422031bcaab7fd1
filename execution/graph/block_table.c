/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_table.h"
#include "common/memory.h"

#include <stdlib.h>

enum {
	FIRST_ROOM = 256,
	FIRST_RESERVED = 1 << 18,
};

/* Besides the block's number a slot contains bits of its hash, so that most
 * other blocks need not be read.
 */
enum { SLOT_HASH_SHIFT = 32 - BLOCK_WAY_SHIFT };

static uint32_t slot_of(uint32_t index, uint32_t hash)
{
	return index | hash >> SLOT_HASH_SHIFT << SLOT_HASH_SHIFT;
}

static uint32_t slot_index(uint32_t slot)
{
	return slot & (BLOCK_MOST - 1);
}

/* Pages usually contain several blocks, so fewer slots are needed. */
static uint32_t page_slots(uint32_t room)
{
	return room / 4;
}

/* Returns the first block in the page of @address and in pages that share its
 * slot.
 */
static uint32_t *page_at(const struct block_table *table, uint64_t address)
{
	return &table->pages[block_hash(address >> BLOCK_PAGE_SHIFT) &
			     (page_slots(table->room) - 1)];
}

void block_table_free(struct block_table *table)
{
	pages_free(&table->block_pages);
	pages_free(&table->info_pages);
	free(table->slots);
	free(table->pages);
}

static void link_block(struct block_table *table, uint32_t index)
{
	const struct block *block = &table->blocks[index];
	struct block_info *info = &table->infos[index];
	uint32_t hash = block_place_hash(block->ip, info->space);
	uint32_t at = hash & table->mask;
	uint32_t *page = page_at(table, block->ip);

	while (table->slots[at])
		at = (at + 1) & table->mask;
	table->slots[at] = slot_of(index, hash);
	info->next_in_page = *page;
	*page = index;
}

/* Enters the blocks into new slots for @room of them. */
static bool link_all(struct block_table *table, uint32_t room)
{
	uint32_t *slots = large_memory_zeroed(room * 2 * sizeof(*slots));
	uint32_t *pages =
		large_memory_zeroed(page_slots(room) * sizeof(*pages));

	if (!slots || !pages) {
		free(slots);
		free(pages);
		return false;
	}
	free(table->slots);
	free(table->pages);
	table->slots = slots;
	table->pages = pages;
	table->mask = room * 2 - 1;
	table->room = room;
	for (uint32_t i = 1; i < table->count; i++)
		link_block(table, i);
	return true;
}

/* Untouched memory costs nothing, so much is reserved at once: moving pages
 * stops all threads.
 */
static bool reserve(struct pages *pages, size_t room, size_t size)
{
	if (room < FIRST_RESERVED)
		room = FIRST_RESERVED;
	return room * size <= pages->size || pages_grow(pages, room * size);
}

static bool grow(struct block_table *table)
{
	uint32_t room = table->room ? table->room * 2 : FIRST_ROOM;

	if (!reserve(&table->block_pages, room, sizeof(struct block)))
		return false;
	table->blocks = table->block_pages.memory;
	if (!reserve(&table->info_pages, room, sizeof(struct block_info)))
		return false;
	table->infos = table->info_pages.memory;
	return link_all(table, room);
}

uint32_t block_table_add(struct block_table *table, uint64_t ip, uint32_t space,
			 uint8_t set)
{
	uint32_t index = table->count + !table->count;

	if (index >= BLOCK_MOST || (index >= table->room && !grow(table)))
		return BLOCK_NONE;
	table->blocks[index] = (struct block){ .ip = ip };
	table->infos[index] = (struct block_info){ .space = space, .set = set };
	table->count = index + 1;
	link_block(table, index);
	return index;
}

uint32_t block_table_find(const struct block_table *table, uint64_t ip,
			  uint32_t space, uint8_t set)
{
	uint32_t hash = block_place_hash(ip, space);
	uint32_t at = hash & table->mask;

	if (!table->room)
		return BLOCK_NONE;
	for (uint32_t slot; (slot = table->slots[at]);
	     at = (at + 1) & table->mask) {
		uint32_t index = slot_index(slot);

		if (slot == slot_of(index, hash) &&
		    table->blocks[index].ip == ip &&
		    table->infos[index].space == space &&
		    table->infos[index].set == set)
			return index;
	}
	return BLOCK_NONE;
}

uint32_t block_table_page(const struct block_table *table, uint64_t address)
{
	return *page_at(table, address);
}
