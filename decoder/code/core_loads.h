/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORE_LOADS_H
#define KT_DECODER_CORE_LOADS_H

struct array;
struct file_map;
struct log;

/* Appends the loads of the ELF core at @path, mapped as @map, to @loads (struct
 * code_region), which must be empty and borrows both. They are sorted; where
 * two overlap, only the first has the common part. Loads beyond
 * BUDGET_CODE_LOADS or BUDGET_CODE_BYTES are left out, which is logged.
 *
 * Returns 0, -ERROR_FORMAT if it is not an ELF core, or -ERROR_MEMORY.
 */
int core_loads_read(const char *path, const struct file_map *map,
		    const struct log *log, struct array *loads);

#endif
