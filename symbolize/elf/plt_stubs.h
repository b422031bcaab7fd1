/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_PLT_STUBS_H
#define KT_SYMBOLIZE_PLT_STUBS_H

#include <libelf.h>

struct address_map;
struct function_table;

/* Adds the procedure linkage tables of @elf to @map, by offset in the file, as
 * thunks: a call of a stub is a call of what the stub jumps to, which is the
 * dynamic linker's resolver the first time.
 *
 * @module is a text of @functions.  Returns 0 or -ERROR_MEMORY.
 */
int plt_stubs_add(Elf *elf, const char *module,
		  struct function_table *functions, struct address_map *map);

#endif
