/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_SAME_NAMES_H
#define KT_SYMBOLIZE_SAME_NAMES_H

struct address_map;
struct function_table;

/* Tells functions of one name in one module apart, after all of @map's symbols
 * were added: gives each its name, and of the code that bears their common name,
 * cold parts and the padding before entries, each piece to the function that it
 * belongs to.  After address_map_finish().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int same_names_tell_apart(struct function_table *functions,
			  struct address_map *map);

#endif
