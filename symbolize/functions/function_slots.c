/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_slots.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/memory.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t odd = 0x9e3779b97f4a7c15;

uint64_t function_name_hash(const char *name, size_t length)
{
	uint64_t hash = odd;
	uint64_t word;

	for (; length > sizeof(word); length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = pack_hash_number(hash, word);
		name += sizeof(word);
	}
	word = length;
	for (size_t i = 0; i < length; i++)
		word = word << 8 | (uint8_t)name[i];
	return pack_hash_number(hash, word);
}

uint32_t function_key_hash(const struct function_key *key)
{
	uint64_t place = (uint64_t)(uintptr_t)key->module ^ key->address;

	return (uint32_t)((key->name_hash ^ place * odd) * odd >> 32);
}

/* A double may have its position appended to its name. */
static bool is_same(const struct function *function,
		    const struct function_key *key)
{
	char end;

	if (function->module != key->module || function->space != key->space ||
	    (key->address && function->address != key->address) ||
	    strncmp(function->name, key->name, key->length) != 0)
		return false;
	end = function->name[key->length];
	return !end || (end == '@' && function->is_double);
}

struct function_slot *function_slots_find(const struct function_slots *slots,
					  const struct function *functions,
					  const struct function_key *key)
{
	struct function_slot *all = slots->slots;
	size_t mask = slots->count - 1;
	size_t at = key->hash & mask;

	while (all[at].number &&
	       (all[at].hash != key->hash ||
		!is_same(&functions[all[at].number - 1], key)))
		at = (at + 1) & mask;
	return &all[at];
}

static void move_slot(struct function_slots *slots, struct function_slot slot)
{
	size_t mask = slots->count - 1;
	size_t at = slot.hash & mask;

	while (slots->slots[at].number)
		at = (at + 1) & mask;
	slots->slots[at] = slot;
}

int function_slots_reserve(struct function_slots *slots, size_t count)
{
	const struct function_slots old = *slots;
	size_t wanted = old.count ? old.count : 1024;

	while (wanted < count * 2)
		wanted *= 2;
	if (wanted == old.count)
		return 0;
	slots->slots = large_memory_zeroed(wanted * sizeof(*slots->slots));
	if (!slots->slots) {
		*slots = old;
		return -ERROR_MEMORY;
	}
	slots->count = wanted;
	for (size_t i = 0; i < old.count; i++)
		if (old.slots[i].number)
			move_slot(slots, old.slots[i]);
	free(old.slots);
	return 0;
}

void function_slots_free(struct function_slots *slots)
{
	free(slots->slots);
}
