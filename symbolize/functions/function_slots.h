/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_SLOTS_H
#define KT_SYMBOLIZE_FUNCTION_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct function;

/* The search key of a function. */
struct function_key {
	const char *name; /* without the appended position of doubles */
	size_t length;
	const char *module; /* equal pointers are equal modules */
	uint64_t address;   /* 0: any */
	uint64_t name_hash; /* function_name_hash() */
	uint32_t hash;	    /* function_key_hash() */
	char space;
};

uint64_t function_name_hash(const char *name, size_t length);

/* Returns the hash of @key, all of whose other members must be set. */
uint32_t function_key_hash(const struct function_key *key);

struct function_slot {
	uint32_t number; /* number of the function + 1; 0: free */
	uint32_t hash;
};

/* Finds functions by their keys: a hash table with open addressing. A zeroed
 * struct is empty.
 */
struct function_slots {
	struct function_slot *slots;
	size_t count; /* a power of two, or 0 */
};

/* Reserves room for @count functions in total. Returns 0 or -ERROR_MEMORY. */
int function_slots_reserve(struct function_slots *slots, size_t count);
void function_slots_free(struct function_slots *slots);

/* Returns the slot of the function in @functions that matches @key, or the free
 * slot for it, which the caller fills with number and hash. There must be room.
 */
struct function_slot *function_slots_find(const struct function_slots *slots,
					  const struct function *functions,
					  const struct function_key *key);

#endif
