/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_PLT_STUBS_H
#define KT_SYMBOLIZE_PLT_STUBS_H

#include <libelf.h>

struct address_map;
struct function_table;

/* Adds the stubs of the procedure linkage tables of @elf (.plt, .plt.sec,
 * .plt.got, .iplt) to @map, by offset in the file, as thunks: a call of a stub
 * counts as a call of the function that the stub jumps to. The first time that
 * is the dynamic linker's resolver.
 *
 * A stub jumps to the address in a slot of the global offset table; the
 * relocation of that slot names the function: "read@plt", or, for a function
 * that the program itself selects at its start, "*ABS*+0x1230@plt" with the
 * selecting function's address, like objdump. Stubs are recognized by their
 * instructions on x86-64 and arm64; code that is not recognized, as the common
 * start of all stubs, is "[plt]".
 *
 * @module must be a text of @functions. Returns 0 or -ERROR_MEMORY.
 */
int plt_stubs_add(Elf *elf, const char *module,
		  struct function_table *functions, struct address_map *map);

#endif
