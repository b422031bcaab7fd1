/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_SAME_NAMES_H
#define KT_SYMBOLIZE_SAME_NAMES_H

struct address_map;
struct function_table;

/* Separates functions that share one name in one module, after all symbols of
 * @map were added: gives each its unique name, and assigns code that has only
 * their common name, cold parts and the padding before entries, to the function
 * that it belongs to. Must be called after address_map_finish().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int same_names_tell_apart(struct function_table *functions,
			  struct address_map *map);

#endif
