/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_SLOTS_H
#define KT_SYMBOLIZE_FUNCTION_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct function;

/* What a function is looked for by. */
struct function_key {
	const char *name; /* without the address that tells doubles apart */
	size_t length;
	const char *module; /* equal pointers are equal modules */
	uint64_t address;   /* 0: any */
	uint64_t name_hash; /* function_name_hash() */
	uint32_t hash;	    /* function_key_hash() */
	char space;
};

uint64_t function_name_hash(const char *name, size_t length);

/* Needs all others of @key. */
uint32_t function_key_hash(const struct function_key *key);

struct function_slot {
	uint32_t number; /* of the function, + 1; 0: it is free */
	uint32_t hash;
};

/* Finds functions by their keys: a hash table with open addressing.  Starts
 * zeroed.
 */
struct function_slots {
	struct function_slot *slots;
	size_t count; /* a power of two, or 0 */
};

/* Makes room for @count functions in all.  Returns 0 or -ERROR_MEMORY. */
int function_slots_reserve(struct function_slots *slots, size_t count);
void function_slots_free(struct function_slots *slots);

/* Returns the slot that holds a function of @key, by its number among
 * @functions, or the free one for it, where the caller puts number and hash.
 * There must be room.
 */
struct function_slot *function_slots_find(const struct function_slots *slots,
					  const struct function *functions,
					  const struct function_key *key);

#endif
