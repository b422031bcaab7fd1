/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORE_LOADS_H
#define KT_DECODER_CORE_LOADS_H

struct array;
struct file_map;
struct log;

/* Puts the loads of the ELF core at @path, mapped as @map, both borrowed, into
 * @loads (struct code_region), which is empty: sorted and without what two have
 * in common, of which the first one counts.  What goes beyond BUDGET_CODE_LOADS
 * or BUDGET_CODE_BYTES is left out and said to @log.
 *
 * Returns 0, -ERROR_FORMAT if it is no ELF core, -ERROR_MEMORY.
 */
int core_loads_read(const char *path, const struct file_map *map,
		    const struct log *log, struct array *loads);

#endif
