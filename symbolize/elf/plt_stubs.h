/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_PLT_STUBS_H
#define KT_SYMBOLIZE_PLT_STUBS_H

#include <libelf.h>

struct address_map;
struct function_table;

/* Adds the procedure linkage tables of @elf to @map, by offset in the file, as
 * thunks: a call of a stub counts as a call of the function that the stub jumps
 * to. The first time that is the dynamic linker's resolver.
 *
 * @module must be a text of @functions. Returns 0 or -ERROR_MEMORY.
 */
int plt_stubs_add(Elf *elf, const char *module,
		  struct function_table *functions, struct address_map *map);

#endif
