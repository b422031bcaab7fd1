/* SPDX-License-Identifier: MIT */
#include "common/keyed_array.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_ITEM UINT32_MAX

enum { FIRST_ROOM = 64 };

static uint64_t hash_of(const struct keyed_array *array, const void *key)
{
	uint64_t hash = 0;
	uint32_t word;

	for (size_t at = 0; at < array->key_size; at += sizeof(word)) {
		memcpy(&word, (const char *)key + at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

static bool is_at(const struct keyed_array *array, uint32_t index,
		  const void *key)
{
	return !memcmp(array_at(&array->items, index), key, array->key_size);
}

/* Returns the slot of the item with @key, or the free slot for it. */
static uint32_t *slot_of(const struct keyed_array *array, const void *key)
{
	size_t mask = array->room - 1;
	size_t at = (size_t)hash_of(array, key) & mask;

	while (array->slots[at] != NO_ITEM &&
	       !is_at(array, array->slots[at], key))
		at = (at + 1) & mask;
	return &array->slots[at];
}

static bool grow(struct keyed_array *array)
{
	size_t room = array->room ? array->room * 2 : FIRST_ROOM;
	uint32_t *slots = malloc(room * sizeof(*slots));

	if (!slots)
		return false;
	memset(slots, 0xff, room * sizeof(*slots));
	free(array->slots);
	array->slots = slots;
	array->room = room;
	for (size_t i = 0; i < array->items.count; i++)
		*slot_of(array, array_at(&array->items, i)) = (uint32_t)i;
	return true;
}

void *keyed_array_find(const struct keyed_array *array, const void *key)
{
	uint32_t index = array->room ? *slot_of(array, key) : NO_ITEM;

	return index == NO_ITEM ? NULL : array_at(&array->items, index);
}

void *keyed_array_add(struct keyed_array *array, const void *like)
{
	uint32_t *slot;
	void *item;

	assert(!(array->key_size % sizeof(uint32_t)));
	if (array->items.count * 2 >= array->room && !grow(array))
		return NULL;
	slot = slot_of(array, like);
	if (*slot != NO_ITEM)
		return array_at(&array->items, *slot);
	item = array_add(&array->items);
	if (!item)
		return NULL;
	memcpy(item, like, array->items.item_size);
	*slot = (uint32_t)array->items.count - 1;
	return item;
}

void keyed_array_free(struct keyed_array *array)
{
	array_free(&array->items);
	free(array->slots);
	array->slots = NULL;
	array->room = 0;
}
