/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTIONS_ADDRESS_MAP_H
#define KT_SYMBOLIZE_FUNCTIONS_ADDRESS_MAP_H

#include "symbolize/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

struct array;
struct function_table;

/* Maximum size of a hole between functions that may be padding: functions start
 * at multiples of 16.
 */
enum { ADDRESS_MAP_PADDING = 15 };

/* An interval of addresses with one meaning. */
struct symbol {
	uint64_t start;
	uint64_t end;	   /* the first address after it */
	uint32_t function; /* FUNCTION_UNKNOWN between functions */
	uint8_t role;	   /* enum code_role */
	/* 1: the padding before the function's entry; jumping to any byte of it
	 * enters the function
	 */
	uint8_t padding;
	uint8_t is_t32;	 /* 1: Arm's T32 code, according to its file */
	uint8_t is_cold; /* 1: a cold part of the function */
};

/* A range [start, end) of addresses with one symbol, and the time until which
 * they have it.
 */
struct symbol_range {
	uint64_t start;
	uint64_t end;
	uint64_t until_ns; /* UINT64_MAX: always */
};

/* Maps addresses to symbols. Built once, then read-only: threads may share it.
 */
struct address_map;

/* Returns NULL when out of memory. */
struct address_map *address_map_new(void);
void address_map_free(struct address_map *map);

/* Reserves memory for about @count symbols and stops. Returns 0 or
 * -ERROR_MEMORY.
 */
int address_map_reserve(struct address_map *map, size_t count);

/* Adds a copy of @symbol. If its end is 0 (unknown), it extends to the next
 * symbol or stop. Of several symbols at one address the one with the highest
 * @rank wins; of equal ranks, the last one added.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int address_map_add(struct address_map *map, const struct symbol *symbol,
		    unsigned int rank);

/* Adds a stop at @address: symbols that start below it end there at the latest.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int address_map_stop(struct address_map *map, uint64_t address);

/* Makes the map from the symbols and stops added. It can be searched from then
 * on. Returns 0 or -ERROR_MEMORY.
 */
int address_map_finish(struct address_map *map);

/* Fills and finishes the new @map with the @count @symbols of another map, as
 * returned by address_map_symbols(). Borrows them: the map is constant.
 *
 * Returns 0; -ERROR_FORMAT if they do not cover all addresses in order, or the
 * function number of one is not below @functions.
 */
int address_map_load(struct address_map *map, const struct symbol *symbols,
		     size_t count, uint32_t functions);

/* Adds @symbols (struct symbol) in the holes of the map. They must be in order
 * and must not overlap, and each must be within one hole. Must be called after
 * address_map_finish(). Returns 0 or -ERROR_MEMORY.
 */
int address_map_fill_holes(struct address_map *map,
			   const struct array *symbols);

/* Returns the number of a function for the unnamed code that starts at @start;
 * FUNCTION_NONE when out of memory.
 */
typedef uint32_t address_map_namer(void *ctx, uint64_t start);

/* Gives each hole that is too long to be padding a function, whose number
 * @namer returns, and the role CODE_UNNAMED. Must be called after
 * address_map_finish().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int address_map_fill(struct address_map *map, address_map_namer *namer,
		     void *ctx);

/* Returns all intervals, in order of address. The caller may change them until
 * the first search. Must be called after address_map_finish().
 */
struct symbol *address_map_symbols(struct address_map *map, size_t *count);

/* Returns the symbol that covers @address; never NULL: holes are symbols with
 * function FUNCTION_UNKNOWN.
 */
const struct symbol *address_map_find(const struct address_map *map,
				      uint64_t address);

/* Separates functions that share one name in one module, after all symbols of
 * @map were added: gives each a unique name. Cold parts and the padding before
 * entries only have the common name: they are assigned to the function that
 * they belong to. Must be called after address_map_finish().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int same_names_tell_apart(struct function_table *functions,
			  struct address_map *map);

#endif
