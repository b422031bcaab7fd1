/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_table.h"

#include "common/arena.h"
#include "common/array.h"
#include "common/error.h"
#include "common/large_memory.h"
#include "symbolize/functions/function_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	uint32_t number; /* of the function, + 1; 0: it is free */
	uint32_t hash;	 /* of its name and module */
};

struct function_table {
	struct arena *names;
	struct array functions; /* struct function */
	struct array modules;	/* const char * */
	struct slot *slots;	/* open addressing */
	size_t slot_count;	/* a power of two */
};

static uint32_t hash_of(const char *name, size_t length, const char *module)
{
	uint64_t hash = (uint64_t)(uintptr_t)module * 0x9e3779b97f4a7c15;
	uint64_t word;

	for (; length > sizeof(word); length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
		name += sizeof(word);
	}
	word = length;
	for (size_t i = 0; i < length; i++)
		word = word << 8 | (uint8_t)name[i];
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return (uint32_t)(hash >> 32);
}

static struct function *function_of(const struct function_table *table,
				    uint32_t number)
{
	return array_at(&table->functions, number);
}

static bool is_same(const struct function *function, const char *name,
		    size_t length, const char *module, char space)
{
	return function->module == module && function->space == space &&
	       strncmp(function->name, name, length) == 0 &&
	       !function->name[length];
}

/* Returns the slot that holds the function, or the free one for it. */
static struct slot *slot_for(const struct function_table *table,
			     const char *name, size_t length,
			     const char *module, char space, uint32_t hash)
{
	size_t mask = table->slot_count - 1;
	size_t at = hash & mask;

	while (table->slots[at].number &&
	       (table->slots[at].hash != hash ||
		!is_same(function_of(table, table->slots[at].number - 1), name,
			 length, module, space)))
		at = (at + 1) & mask;
	return &table->slots[at];
}

static void move_slot(struct function_table *table, struct slot slot)
{
	size_t mask = table->slot_count - 1;
	size_t at = slot.hash & mask;

	while (table->slots[at].number)
		at = (at + 1) & mask;
	table->slots[at] = slot;
}

/* Makes the slots @count, a power of two. */
static bool resize_slots(struct function_table *table, size_t count)
{
	struct slot *old = table->slots;
	size_t old_count = table->slot_count;
	struct slot *slots = large_memory_zeroed(count * sizeof(*slots));

	if (!slots)
		return false;
	table->slots = slots;
	table->slot_count = count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].number)
			move_slot(table, old[i]);
	free(old);
	return true;
}

static bool grow_slots(struct function_table *table)
{
	return resize_slots(table,
			    table->slot_count ? table->slot_count * 2 : 1024);
}

int function_table_reserve(struct function_table *table, size_t count)
{
	enum { NAME_BYTES = 32 };
	size_t slots = table->slot_count;

	while (slots < count * 2)
		slots *= 2;
	if (array_reserve(&table->functions, count) < 0 ||
	    arena_reserve(table->names, count * NAME_BYTES) < 0 ||
	    (slots > table->slot_count && !resize_slots(table, slots)))
		return -ERROR_MEMORY;
	return 0;
}

struct function_table *function_table_new(void)
{
	struct function_table *table = calloc(1, sizeof(*table));
	const char *kernel;

	if (!table)
		return NULL;
	table->functions = ARRAY_OF(struct function);
	table->modules = ARRAY_OF(const char *);
	table->names = arena_new();
	if (!table->names)
		goto fail;
	kernel = function_table_module(table, "", 0);
	if (!kernel || function_table_add(table, "[unknown]", 9, kernel, 'k') !=
			       FUNCTION_UNKNOWN)
		goto fail;
	return table;
fail:
	function_table_free(table);
	return NULL;
}

void function_table_free(struct function_table *table)
{
	if (!table)
		return;
	free(table->slots);
	array_free(&table->functions);
	array_free(&table->modules);
	arena_free(table->names);
	free(table);
}

const char *function_table_module(struct function_table *table,
				  const char *name, size_t length)
{
	const char **module;
	char *copy;

	/* Symbols come grouped by module, so the newest fits nearly always. */
	for (size_t i = table->modules.count; i-- > 0;) {
		const char *known =
			*(const char **)array_at(&table->modules, i);

		if (strncmp(known, name, length) == 0 && !known[length])
			return known;
	}
	copy = arena_text(table->names, name, length);
	module = copy ? array_add(&table->modules) : NULL;
	if (!module)
		return NULL;
	*module = copy;
	return copy;
}

uint32_t function_table_add(struct function_table *table, const char *name,
			    size_t length, const char *module, char space)
{
	struct function *function;
	struct slot *slot;
	uint32_t hash;
	char *copy;

	length = function_name_length(name, length);
	if (table->functions.count * 2 >= table->slot_count &&
	    !grow_slots(table))
		return FUNCTION_NONE;
	hash = hash_of(name, length, module);
	slot = slot_for(table, name, length, module, space, hash);
	if (slot->number)
		return slot->number - 1;
	copy = arena_text(table->names, name, length);
	function = copy ? array_add(&table->functions) : NULL;
	if (!function)
		return FUNCTION_NONE;
	*function = (struct function){
		.name = copy,
		.module = module,
		.space = space,
	};
	slot->number = (uint32_t)table->functions.count;
	slot->hash = hash;
	return slot->number - 1;
}

void function_table_locate(struct function_table *table, uint32_t number,
			   uint64_t address)
{
	struct function *function = function_of(table, number);

	if (!function->address || address < function->address)
		function->address = address;
}

bool function_table_has(const struct function_table *table, const char *name)
{
	for (uint32_t i = 0; i < table->functions.count; i++)
		if (strcmp(function_of(table, i)->name, name) == 0)
			return true;
	return false;
}

uint32_t function_table_kernel(const struct function_table *table,
			       const char *name)
{
	const char *kernel = *(const char **)array_at(&table->modules, 0);
	size_t length = strlen(name);
	const struct slot *slot = slot_for(table, name, length, kernel, 'k',
					   hash_of(name, length, kernel));

	return slot->number ? slot->number - 1 : FUNCTION_NONE;
}

const struct function *function_at(const struct function_table *table,
				   uint32_t number)
{
	return function_of(table, number);
}

uint32_t function_count(const struct function_table *table)
{
	return (uint32_t)table->functions.count;
}
