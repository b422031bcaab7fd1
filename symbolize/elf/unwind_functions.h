/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_UNWIND_FUNCTIONS_H
#define KT_SYMBOLIZE_UNWIND_FUNCTIONS_H

#include <stdint.h>

struct address_map;
struct function_table;

/* Adds functions for code without symbols that the unwind tables of the ELF
 * file @path describe: in a stripped program these are all functions that
 * compilers made. They are named after the file and their offset in it,
 * "dash+0x4a10". The names change only with the file.
 *
 *	symbols		|  main  |.......................|  exported  |.......|
 *	unwind tables	|--------|------|------|·········|------------|--| part
 *	functions	|  main  |+0x100|+0x180|  hole   |  exported  | exported
 *
 * Invariants:
 * 1. Symbols win: a range that starts within a symbol's code is ignored, and
 *    one that starts between symbols ends at the next symbol at the latest.
 * 2. A cold part belongs to the function that jumps to it. That function is
 *    found by the direct jumps in the code (x86-64 and arm64). If no jump is
 *    found, the part is a function of its own.
 *
 * @map, by offset in the file, must be complete (address_map_finish()). @module
 * must be a text of @functions. Memory: about 40 bytes for each range. Returns
 * 0, also for a file without unwind tables, or -ERROR_MEMORY.
 */
int unwind_functions_add(const char *path, const char *module,
			 struct function_table *functions,
			 struct address_map *map);

#endif
