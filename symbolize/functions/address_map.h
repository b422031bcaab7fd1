/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ADDRESS_MAP_H
#define KT_SYMBOLIZE_ADDRESS_MAP_H

#include "symbolize/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

/* A stretch of addresses with one meaning. */
struct symbol {
	uint64_t start;
	uint64_t end;	   /* the first address after it */
	uint32_t function; /* FUNCTION_UNKNOWN in a hole */
	uint8_t role;	   /* enum code_role */
	uint8_t padding;   /* 1: the padding before the function, which
				 * can be entered anywhere */
	uint8_t is_t32;	   /* 1: its file says that it is Arm's T32 code */
	uint8_t is_cold;   /* 1: a cold part of the function */
};

/* Addresses from @start up to @end, and the time until which they have one
 * meaning.
 */
struct symbol_range {
	uint64_t start;
	uint64_t end;
	uint64_t until_ns; /* UINT64_MAX: always */
};

/* Addresses to symbols.  Built once, then read-only: threads may share it. */
struct address_map;

/* Returns NULL when out of memory. */
struct address_map *address_map_new(void);
void address_map_free(struct address_map *map);

/* Makes room for @count symbols and stops, about as many as will be
 * added.  Returns 0 or -ERROR_MEMORY.
 */
int address_map_reserve(struct address_map *map, size_t count);

/* Adds a symbol.  @size_bytes is 0 where it is unknown: it then reaches to
 * the next one.  Of several at one address the highest @rank wins, then the
 * one added last.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int address_map_add(struct address_map *map, const struct symbol *symbol,
		    unsigned int rank);

/* Sets a border at @address, over which no symbol reaches from below.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int address_map_stop(struct address_map *map, uint64_t address);

/* Makes what was added findable.  Returns 0 or -ERROR_MEMORY. */
int address_map_finish(struct address_map *map);

/* Returns the number of a function to stand for the unnamed ones that begin at
 * @start; FUNCTION_NONE when out of memory.
 */
typedef uint32_t address_map_namer(void *ctx, uint64_t start);

/* Makes a function of each hole that is too long to be padding; its role is
 * CODE_UNNAMED.  After address_map_finish().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int address_map_fill(struct address_map *map, address_map_namer *namer,
		     void *ctx);

/* Returns all stretches of addresses, in order, to be changed before any is
 * looked for.  After address_map_finish().
 */
struct symbol *address_map_symbols(struct address_map *map, size_t *count);

/* Returns what covers @address; never NULL: holes are symbols too, of
 * function FUNCTION_UNKNOWN.
 */
const struct symbol *address_map_find(const struct address_map *map,
				      uint64_t address);

#endif
