/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_ROLES_H
#define KT_SYMBOLIZE_GRAPH_ROLES_H

#include "symbolize/arch/arch.h"

#include <stdint.h>

struct symbols;

/* The role of each function: what it implies about the kernel context that it
 * is called in.
 */
struct graph_roles;

/* Determines the roles of all functions of @symbols. Returns NULL when out of
 * memory.
 */
struct graph_roles *graph_roles_new(const struct symbols *symbols);
void graph_roles_free(struct graph_roles *roles);

enum graph_role graph_role_of(const struct graph_roles *roles,
			      uint32_t function);

/* Returns the entry that @function implies, FUNCTION_UNKNOWN if none. */
uint32_t graph_role_entry(const struct graph_roles *roles, uint32_t function);

/* Returns the function that the idle task is always in, or FUNCTION_UNKNOWN. */
uint32_t graph_roles_idle(const struct graph_roles *roles);

#endif
